#include <doctest/doctest.h>

#include "job/logs/container_log_fixture.h"

namespace container_log_test {

using namespace kml;
using namespace kml::job;
using namespace kml::job::container_log_fixture;
using namespace std::chrono_literals;

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
