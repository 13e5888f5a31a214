#include <doctest/doctest.h>

#include "job/logs/container_log_fixture.h"

namespace container_log_faults_test {

using namespace kml;
using namespace kml::job;
using namespace kml::job::container_log_fixture;
using namespace std::chrono_literals;

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
  SUBCASE("the log of a run that failed is read once") {
    log.update(ended(0, 3));
    transport.run_for(5s);
    CHECK(sink.said == "[end 3]");
    CHECK(transport.requests.size() == 1);
  }
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

}  // namespace container_log_faults_test
