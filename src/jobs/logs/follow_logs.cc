#include "jobs/logs/log_follower.h"
#include "jobs/logs/open_files.h"

namespace kml::jobs {

void follow_logs(kube::Client& client, const LogSelection& selection, const Interrupt& interrupt,
                 LogSink& sink) {
  allow_many_open_files();
  LogFollower follower(client, selection, sink);
  const int wake[] = {interrupt.fd()};
  constexpr std::chrono::milliseconds kTick{250};
  http::SteadyTime told{};
  while (!follower.advance()) {
    interrupt.check();
    sink.pause();
    if (const auto now = client.transport().now(); now - told >= kTick) {
      told = now;
      follower.tell_waiting();
    }
    client.transport().wait(kTick, wake);
  }
}

}  // namespace kml::jobs
