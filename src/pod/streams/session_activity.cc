#include "pod/streams/session_activity.h"

#include <fmt/format.h>

#include <optional>

#include "kml/base/error.h"
#include "kml/job/views/dev_session.h"

namespace kml::pod {

namespace {

/// About 2 KiB per minute. Idle programs send less: ssh's keep-alive messages are about 100 bytes every 15 to
/// 60 seconds, and a browser's responses to pings are 6 bytes. A visible JupyterLab page asks for its kernels
/// every ten seconds, which takes about 1 kB.
constexpr size_t kLeastPerSecond = 34;

}  // namespace

void SessionActivity::add(const RunningRank& rank, size_t bytes) {
  if (!rank.idle_limit || has_failed_) return;
  const std::chrono::seconds step = job::guard_step(*rank.idle_limit);
  const auto now = client_.transport().now();
  if (now - begin_ >= step) {
    begin_ = now;
    bytes_ = 0;
    is_told_ = false;
  }
  bytes_ += bytes;
  if (is_told_ || bytes_ < kLeastPerSecond * static_cast<size_t>(step.count())) return;
  is_told_ = true;
  const auto failed = [this, name = rank.job](const std::string& why) {
    has_failed_ = true;
    note_("the idle guard of session " + name + " does not notice this traffic: " + why);
  };
  try {
    telling_ = std::make_unique<kube::RemoteProcess>(
        client_,
        kube::RemoteCommand{.namespace_name = rank.namespace_name,
                            .pod = rank.pod,
                            .container = rank.container,
                            .command = {"sh", "-c", fmt::format("touch \"{}\"", job::kActivityFile)}},
        kube::RemoteHandler{.on_output = [](bool, std::string_view) {},
                            .on_end =
                                [failed](std::optional<int> code, const Error* error) {
                                  if (error)
                                    failed(message_and_why(*error));
                                  else if (code != 0)
                                    failed("cannot write to the container's /dev/shm");
                                }});
  } catch (const Error& error) {
    failed(message_and_why(error));
  }
}

}  // namespace kml::pod
