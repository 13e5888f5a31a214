#include "job/logs/container_log.h"

#include <doctest/doctest.h>

#include "job/logs/recording_sink.h"
#include "kml/kube/objects/status.h"
#include "support/fake_transport.h"

namespace container_log_test {

using namespace kml;
using namespace kml::job;
using namespace std::chrono_literals;

namespace {

const std::string kPod = "/api/v1/namespaces/team/pods/p";
const std::string kLog = kPod + "/log?container=main", kFollow = kLog + "&follow=true&timestamps=true",
                  kRead = kLog + "&timestamps=true", kBefore = kLog + "&previous=true&timestamps=true",
                  kAgain = "&sinceTime=2026-01-01T00%3A00%3A09Z",
                  kLater = "&sinceTime=2026-01-01T00%3A00%3A11Z";
const std::string kA = "2026-01-01T00:00:10.1Z a\n", kB = "2026-01-01T00:00:10.2Z b\n",
                  kC = "2026-01-01T00:00:12Z c\n";

ContainerState running(int run) {
  ContainerState state{.run = "id" + std::to_string(run), .restarts = run};
  if (run > 0) {
    state.run_before = "id" + std::to_string(run - 1);
    state.exit_before = ContainerExit{.code = 7};
  }
  return state;
}

ContainerState ended(int run, int code) {
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

}  // namespace

TEST_CASE_FIXTURE(Fixture, "container_log: nothing is requested before the container has run") {
  log.update({});
  transport.run_for(60s);
  CHECK(transport.requests.empty());
  CHECK(log.done());
}

TEST_CASE_FIXTURE(Fixture, "container_log: a stream that closes while the container runs has not ended") {
  nothing_newer(kLater);
  transport.stub("GET", kFollow, {.pieces = {kA}});
  transport.stub("GET", kFollow + kAgain, {.pieces = {kA + kB}});
  transport.stub("GET", kFollow + kAgain, open({kB + kC}));
  log.update(running(0));
  transport.run_for(20s);
  CHECK(sink.said == "0.0 a\n0.0 b\n0.0 c\n");
  CHECK(!log.done());
}

TEST_CASE_FIXTURE(
    Fixture,
    "container_log: after the container's end, one more request makes sure that nothing is missing") {
  transport.stub("GET", kFollow, {.pieces = {kA}});
  transport.stub("GET", kRead + kAgain, {.pieces = {kA + kB}});
  log.update(running(0));
  transport.run_for(500ms);
  log.update(ended(0, 3));
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end 3]");
  CHECK(log.done());
}

TEST_CASE_FIXTURE(Fixture, "container_log: the log of a container that has ended is read without following") {
  transport.stub("GET", kRead, {.pieces = {kA + "2026-01-01T00:00:10.2Z no newline"}});
  log.update(ended(0, 0));
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n0.0 no newline\n[end 0]");
}

TEST_CASE_FIXTURE(Fixture, "container_log: a log that is empty after a success may be read twice") {
  context.looks_twice = true;
  transport.stub("GET", kRead, {});
  SUBCASE("its lines come late") {
    transport.stub("GET", kRead, {.pieces = {kA}});
    pod_shows(0);
    log.update(ended(0, 0));
    CHECK(sink.said.empty());
    transport.run_for(2s);
    CHECK(sink.said == "0.0 a\n[end 0]");
  }
  SUBCASE("it stays empty") {
    transport.stub("GET", kRead, {});
    log.update(ended(0, 0));
    transport.run_for(2s);
    CHECK(sink.said == "[end 0]");
    CHECK(transport.requests.size() == 2);
  }
  SUBCASE("the run has failed, so kml does not wait for its lines") {
    log.update(ended(0, 3));
    transport.run_for(5s);
    CHECK(sink.said == "[end 3]");
    CHECK(transport.requests.size() == 1);
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: with patience, kml waits before it follows a log, so that the log of a "
                  "short run is read once") {
  context.patience = 1s;
  log.update(running(0));
  transport.run_for(900ms);
  CHECK(transport.requests.empty());
  SUBCASE("the run ends") {
    transport.stub("GET", kRead, {.pieces = {kA}});
    log.update(ended(0, 0));
    transport.run_for(5s);
    CHECK(sink.said == "0.0 a\n[end 0]");
    CHECK(transport.requests.size() == 1);
  }
  SUBCASE("another run follows") {
    transport.stub("GET", kBefore, {.pieces = {kA}});
    transport.stub("GET", kRead, {.pieces = {kC}});
    log.update(running(1));
    transport.run_for(500ms);
    log.update(ended(1, 0));
    transport.run_for(500ms);
    CHECK(sink.said == "0.0 a\n[end 7]0.1 c\n[end 0]");
  }
  SUBCASE("the run continues") {
    transport.stub("GET", kFollow, open({kA}));
    transport.run_for(200ms);
    CHECK(sink.said == "0.0 a\n");
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: a restarted container's first run is read to its end, then the next") {
  transport.stub("GET", kFollow, {.pieces = {kA}});
  transport.stub("GET", kBefore + kAgain, {.pieces = {kA + kB}});
  transport.stub("GET", kFollow, open({kC}));
  log.update(running(0));
  transport.run_for(500ms);
  log.update(running(1));
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end 7]0.1 c\n");
}

TEST_CASE_FIXTURE(
    Fixture,
    "container_log: if a container has already been restarted, the previous run's log is read, too") {
  transport.stub("GET", kBefore, {.pieces = {kA}});
  transport.stub("GET", kFollow, open({kC}));
  SUBCASE("one restart") {
    log.update(running(1));
    transport.run_for(1s);
    CHECK(sink.said == "0.0 a\n[end 7]0.1 c\n");
  }
  SUBCASE("earlier runs are a gap") {
    log.update(running(3));
    transport.run_for(1s);
    CHECK(sink.said == "[gap]0.2 a\n[end 7]0.3 c\n");
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: if a new connection returns the next run's log, kml requests the previous "
                  "run's log again") {
  nothing_newer(kLater);
  transport.stub("GET", kFollow, FakeTransport::break_connection({kA}));
  transport.stub("GET", kFollow + kAgain, open({kC}));
  pod_shows(1);
  transport.stub("GET", kBefore + kAgain, {.pieces = {kA + kB}});
  transport.stub("GET", kFollow, open({kC}));
  log.update(running(0));
  transport.run_for(5s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end 7]0.1 c\n");
}

TEST_CASE_FIXTURE(
    Fixture,
    "container_log: kml requests the previous run's log again even if none of its lines had arrived") {
  nothing_newer(kLater);
  transport.stub("GET", kFollow, FakeTransport::break_connection());
  transport.stub("GET", kFollow, open({kC}));
  pod_shows(1);
  transport.stub("GET", kBefore, {.pieces = {kA + kB}});
  pod_shows(1);
  transport.stub("GET", kFollow, open({kC}));
  log.update(running(0));
  transport.run_for(5s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end 7]0.1 c\n");
}

TEST_CASE_FIXTURE(Fixture, "container_log: a rotation between two requests is reported as a gap") {
  nothing_newer(kLater);
  transport.stub("GET", kFollow, FakeTransport::break_connection({kA}));
  transport.stub("GET", kFollow + kAgain, open({kC}));
  pod_shows(0);
  log.update(running(0));
  transport.run_for(5s);
  CHECK(sink.said == "0.0 a\n[gap]0.0 c\n");
}

TEST_CASE_FIXTURE(Fixture, "container_log: a log that was rotated away before its end was read has a gap") {
  transport.stub("GET", kFollow, FakeTransport::break_connection({kA}));
  transport.stub("GET", kFollow + kAgain, open({}));
  transport.stub("GET", kRead + kAgain, {});
  log.update(running(0));
  transport.run_for(1s);
  log.update(ended(0, 0));
  transport.run_for(30s);
  CHECK(sink.said == "0.0 a\n[gap][end 0]");
}

TEST_CASE_FIXTURE(
    Fixture, "container_log: after a rotation, a last line without a newline is printed, too, behind a gap") {
  transport.stub("GET", kFollow, FakeTransport::break_connection({kA}));
  transport.stub("GET", kFollow + kAgain, open({}));
  transport.stub("GET", kRead + kAgain, {.pieces = {"2026-01-01T00:00:12Z no newline"}});
  log.update(running(0));
  transport.run_for(1s);
  log.update(ended(0, 0));
  transport.run_for(30s);
  CHECK(sink.said == "0.0 a\n[gap]0.0 no newline\n[end 0]");
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: after two restarts between two responses, the end of a run is lost, and "
                  "kml reports this") {
  transport.stub("GET", kFollow, {.pieces = {kA}});
  transport.stub("GET", kBefore, {.pieces = {kB}});
  transport.stub("GET", kFollow, open({kC}));
  log.update(running(0));
  transport.run_for(500ms);
  log.update(running(2));
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n[gap][end]0.1 b\n[end 7]0.2 c\n");
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: a rejection while the container waits is retried without a message") {
  nothing_newer(kAgain);
  const std::string text =
      api::failure_status(400, "BadRequest", "is waiting to start: ContainerCreating").dump();
  transport.stub("GET", kFollow, {.status = 400, .pieces = {text}});
  transport.stub("GET", kFollow, open({kA}));
  pod_shows(0);
  log.update(running(0));
  transport.run_for(5s);
  CHECK(sink.said == "0.0 a\n");
}

TEST_CASE_FIXTURE(Fixture, "container_log: an empty response does not mean that the log has ended") {
  nothing_newer(kAgain);
  transport.stub("GET", kFollow, {.status = 204});
  transport.stub("GET", kFollow, open({kA}));
  pod_shows(0);
  log.update(running(0));
  transport.run_for(5s);
  CHECK(sink.said == "0.0 a\n");
}

TEST_CASE_FIXTURE(
    Fixture,
    "container_log: a kubelet failure that arrives as text is reported once, and the request is repeated") {
  nothing_newer(kAgain);
  const std::string text = "unable to retrieve container logs for containerd://abc\n";
  transport.stub("GET", kFollow, {.pieces = {kA + text}});
  transport.stub("GET", kFollow + kAgain, {.pieces = {text}});
  transport.stub("GET", kFollow + kAgain, open({kA + kB}));
  log.update(running(0));
  transport.run_for(30s);
  CHECK(sink.said == "0.0 a\n[trouble]0.0 b\n");
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: kml gives up on a log whose end stays unreadable, with a message") {
  for (int i = 0; i < 5; ++i)
    transport.stub("GET", kRead, {.pieces = {"unable to retrieve container logs for containerd://abc\n"}});
  log.update(ended(0, 1));
  transport.run_for(5min);
  CHECK(sink.said == "[trouble][gap][end 1]");
  CHECK(log.done());
}

TEST_CASE_FIXTURE(Fixture, "container_log: lines of a deleted pod are read as long as they arrive") {
  transport.stub("GET", kFollow, {.pieces = {kA + kB}});
  log.update(running(0));
  log.pod_is_gone();
  CHECK(!log.done());
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end]");
  CHECK(log.done());
}

TEST_CASE_FIXTURE(
    Fixture,
    "container_log: if a pod is gone when kml requests its log again, kml reports a gap, unless the "
    "log had been read to its end") {
  const FakeTransport::Stub missing{.status = 404,
                                    .pieces = {api::failure_status(404, "NotFound", "gone").dump()}};
  SUBCASE("the stream broke") {
    transport.stub("GET", kFollow, FakeTransport::break_connection({kA}));
    transport.stub("GET", kFollow + kAgain, missing);
    log.update(running(0));
    transport.run_for(5s);
    CHECK(sink.said == "0.0 a\n[gap][end]");
  }
  SUBCASE("the log was read to its end") {
    transport.stub("GET", kFollow, {.pieces = {kA}});
    transport.stub("GET", kRead + kAgain, missing);
    log.update(running(0));
    transport.run_for(500ms);
    log.update(ended(0, 0));
    transport.run_for(5s);
    CHECK(sink.said == "0.0 a\n[end 0]");
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: for a deleted pod of the embedded server, the stored log is read") {
  selection.gone_pods = true;
  transport.stub("GET", kFollow, {.pieces = {kA}});
  transport.stub("GET", kRead + kAgain + "&uid=u", {.pieces = {kA + kB}});
  log.update(running(0));
  log.pod_is_gone();
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end]");
}

TEST_CASE_FIXTURE(Fixture,
                  "container_log: a response that hangs after the container's end is requested again") {
  nothing_newer(kAgain);
  transport.stub("GET", kFollow, open({kA}));
  transport.stub("GET", kRead + kAgain, {.pieces = {kA + kB}});
  log.update(running(0));
  transport.run_for(1s);
  log.update(ended(0, 0));
  transport.run_for(30s);
  CHECK(sink.said == "0.0 a\n0.0 b\n[end 0]");
}

TEST_CASE_FIXTURE(Fixture, "container_log: reading ends if a right is missing") {
  transport.stub("GET", kFollow,
                 {.status = 403, .pieces = {api::failure_status(403, "Forbidden", "no").dump()}});
  log.update(running(0));
  transport.run_for(1s);
  CHECK(context.failure);
}

TEST_CASE_FIXTURE(
    Fixture,
    "container_log: beyond the limit of followed logs per node, a log is polled instead of followed") {
  nothing_newer(kLater);
  for (int i = 0; i < NodeSlots::kMost; ++i) context.slots.take("");
  transport.stub("GET", kRead, {.pieces = {kA}});
  transport.stub("GET", kRead + kAgain, {.pieces = {kA + kB}});
  log.update(running(0));
  transport.run_for(6s);
  context.slots.give_back("");
  transport.stub("GET", kFollow + kAgain, open({kA + kB + kC}));
  transport.run_for(6s);
  CHECK(sink.said == "0.0 a\n0.0 b\n0.0 c\n");
}

TEST_CASE_FIXTURE(Fixture, "container_log: since and tail apply to the lines that existed at the start") {
  selection.since = 60s;
  selection.tail = 5;
  SUBCASE("lines at the start") {
    transport.stub("GET", kFollow + "&sinceSeconds=60&tailLines=5", open({kA}));
    log.update(running(0));
  }
  SUBCASE("a run that started later") {
    transport.stub("GET", kFollow + "&sinceSeconds=60&tailLines=5", {.pieces = {kA}});
    transport.stub("GET", kBefore + kAgain, {.pieces = {kA}});
    transport.stub("GET", kFollow, open({kB}));
    log.update(running(0));
    context.begun = true;
    transport.run_for(500ms);
    log.update(running(1));
  }
  transport.run_for(500ms);
}

TEST_CASE_FIXTURE(Fixture, "container_log: ends at the first line after the time of --until") {
  selection.until = parse_rfc3339("2026-01-01T00:00:11Z");
  transport.stub("GET", kFollow, open({kA + kC}));
  log.update(running(0));
  transport.run_for(1s);
  CHECK(sink.said == "0.0 a\n");
  CHECK(log.done());
  CHECK(transport.open_streams() == 0);
}

}  // namespace container_log_test
