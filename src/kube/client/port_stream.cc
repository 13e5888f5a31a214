#include "kml/kube/client/port_stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kml/base/text.h"
#include "kml/kube/objects/resource.h"
#include "kube/client/channels.h"
#include "kube/client/request_parts.h"
#include "kube/client/weak_stream.h"

namespace kml::kube {

namespace {

/// The channels for the single requested port. The first message on each channel is the port's number in two
/// bytes.
enum PortChannel : char { kData = 0, kFailure = 1 };
constexpr size_t kPortNumber = 2;
constexpr size_t kLongestFailure = size_t{64} << 10;

}  // namespace

struct PortStream::State {
  void open() {}
  bool take(char channel, std::string_view content);
  void end(const Error* error);

  std::string tried;
  PortHandler handler;
  bool has_data_begun = false, has_failure_begun = false;
  std::string failure;  ///< the kubelet's message
  std::unique_ptr<Channels> channels;
};

bool PortStream::State::take(char channel, std::string_view content) {
  bool& has_begun = channel == kData ? has_data_begun : has_failure_begun;
  if (!std::exchange(has_begun, true)) content.remove_prefix(std::min(content.size(), kPortNumber));
  if (channel == kFailure) failure += content.substr(0, kLongestFailure - failure.size());
  if (channel == kData && !content.empty()) handler.on_data(content);
  return true;
}

void PortStream::State::end(const Error* error) {
  std::optional<Error> refused;
  // The kubelet's message is long, and includes details of the pod's network.
  if (!error && !failure.empty())
    refused = Error(ErrorCode::unreachable, tried,
                    contains(failure, "onnection refused") ? "connection refused: no program listens on it"
                                                           : std::string(trim(failure)));
  handler.on_end(refused ? &*refused : error);
}

PortStream::PortStream(Client& client, const std::string& namespace_name, const std::string& pod, int port,
                       PortHandler handler)
    : state_(std::make_shared<State>()) {
  state_->tried = "cannot connect to port " + std::to_string(port) + " of pod \"" + pod + "\"";
  state_->handler = std::move(handler);
  Query query(api::find_kind("v1", "Pod")->path(namespace_name, pod, "portforward"));
  query.add("ports", std::to_string(port));
  state_->channels =
      std::make_unique<Channels>(client,
                                 Channels::Options{.path = query.text(),
                                                   .protocol = "v4.channel.k8s.io",
                                                   .tried = state_->tried,
                                                   .fix = "a proxy in between may not support WebSockets"},
                                 weak_channels<State>(state_));
}

PortStream::~PortStream() {
  state_->channels.reset();
}

void PortStream::send(std::string_view bytes) {
  state_->channels->send(kData, bytes);
}

size_t PortStream::unsent() const {
  return state_->channels->unsent();
}

void PortStream::pause(bool on) {
  state_->channels->pause(on);
}

}  // namespace kml::kube
