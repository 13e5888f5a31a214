#pragma once

#include <string>
#include <vector>

#include "job/logs/container_log.h"
#include "job/logs/recording_sink.h"
#include "kml/kube/objects/status.h"
#include "support/fake_transport.h"

namespace kml::job::container_log_fixture {

using namespace std::chrono_literals;

inline const std::string kPod = "/api/v1/namespaces/team/pods/p";
const std::string kLog = kPod + "/log?container=main", kFollow = kLog + "&follow=true&timestamps=true",
                  kRead = kLog + "&timestamps=true", kBefore = kLog + "&previous=true&timestamps=true",
                  kAgain = "&sinceTime=2026-01-01T00%3A00%3A09Z",
                  kLater = "&sinceTime=2026-01-01T00%3A00%3A11Z";
inline const std::string kA = "2026-01-01T00:00:10.1Z a\n", kB = "2026-01-01T00:00:10.2Z b\n",
                         kC = "2026-01-01T00:00:12Z c\n";

inline ContainerState running(int run) {
  ContainerState state{.run = "id" + std::to_string(run), .restarts = run};
  if (run > 0) {
    state.run_before = "id" + std::to_string(run - 1);
    state.exit_before = ContainerExit{.code = 7};
  }
  return state;
}

inline ContainerState ended(int run, int code) {
  ContainerState state = running(run);
  state.ended = true;
  state.exit = ContainerExit{.code = code};
  return state;
}

struct Fixture {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  RecordingSink sink;
  LogSelection selection;
  LogContext context{client, selection, sink};
  ContainerLog log{context,
                   {.namespace_name = "team", .pod = "p", .pod_uid = "u", .container = "main", .label = "0"}};

  static FakeTransport::Stub open(std::vector<std::string> pieces) {
    return {.pieces = std::move(pieces), .stays_open = true};
  }
  /// Answers the request for a log that has become silent.
  void nothing_newer(const std::string& since) { transport.stub("GET", kRead + since, {}); }
  /// Stubs the response to the request for the pod. The log sends that request in case of doubt.
  void pod_shows(int run) {
    transport.answer(
        "GET", kPod,
        {{"metadata", {{"uid", "u"}}},
         {"status",
          {{"containerStatuses",
            {{{"name", "main"},
              {"restartCount", run},
              {"containerID", "id" + std::to_string(run)},
              {"state", {{"running", Json::object()}}},
              {"lastState",
               {{"terminated", {{"containerID", "id" + std::to_string(run - 1)}, {"exitCode", 7}}}}}}}}}}});
  }
};

}  // namespace kml::job::container_log_fixture
