#include "pod/hang/ras_tier.h"

#include "kml/base/text.h"
#include "pod/hang/ras_answer.h"

namespace kml::pod {

namespace {

/// NCCL_RAS_CLIENT_PORT in NVIDIA/nccl, src/ras/ras_internal.h. The variable NCCL_RAS_ADDR, which kml cannot
/// see, can change the port.
constexpr int kRasPort = 28028;
/// The JSON status of 10,000 ranks is about 8 MB.
constexpr size_t kMostReceived = size_t{32} << 20;

}  // namespace

RasQuestion::RasQuestion(kube::Client& client, const RunningRank& rank) {
  try {
    stream_ = std::make_unique<kube::PortStream>(client, rank.namespace_name, rank.pod, kRasPort,
                                                 kube::PortHandler{.on_data =
                                                                       [this](std::string_view bytes) {
                                                                         if (received_.size() < kMostReceived)
                                                                           received_ += bytes;
                                                                       },
                                                                   .on_end =
                                                                       [this](const Error* error) {
                                                                         is_over_ = true;
                                                                         if (error) failure_ = *error;
                                                                       }});
    stream_->send(ras_request());
  } catch (const Error& error) {
    is_over_ = true;
    failure_ = error;
  }
}

bool RasQuestion::is_late_or_cut() const {
  return !is_over_ || (!failure_ && received_.starts_with(kRasGreeting));
}

RasAnswer RasQuestion::answer() const {
  if (failure_ && contains(failure_->why, "onnection refused"))
    throw Error(ErrorCode::unreachable, "nothing listens on port 28028");
  if (failure_) throw *failure_;
  if (!is_over_)
    throw Error(ErrorCode::unreachable, "port 28028 has accepted a connection, but does not answer");
  return parse_ras(received_);
}

}  // namespace kml::pod
