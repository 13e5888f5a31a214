#include "kml/kube/log_stream.h"

#include <doctest/doctest.h>

#include "kml/api/status.h"
#include "support/fake_transport.h"

using namespace kml;
using namespace kml::kube;
using namespace std::chrono_literals;

namespace {

const std::string kPath = "/api/v1/namespaces/team/pods/p/log?follow=true&timestamps=true";
const std::string kA = "2026-01-01T00:00:10.000000001Z one\n", kB = "2026-01-01T00:00:10.000000002Z two\n",
                  kC = "2026-01-01T00:00:11.000000000Z three\n";

struct Fixture {
  FakeTransport transport;
  Client client{transport, [](std::chrono::milliseconds) {}};
  std::string said;  ///< lines each with "\n", "(end)", "(why of a failure)"
  std::unique_ptr<LogStream> log;

  void start(LogOptions options = {}) {
    log = follow_log(
        client, "team", "p", options,
        {.on_line = [this](std::string_view, std::string_view line) { said += std::string(line) + "\n"; },
         .on_end = [this] { said += "(end)"; },
         .on_failure = [this](const Error& error) { said += "(" + error.why + ")"; }});
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "log_stream: hands on lines without their timestamps, in whatever cuts they come") {
  std::vector<std::string> pieces;
  for (char c : kA + kB) pieces.emplace_back(1, c);
  transport.stub("GET", kPath, {.pieces = pieces});
  start();
  transport.run_for(1s);
  CHECK(said == "one\ntwo\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: resumes just before the last line and skips what it has handed on") {
  transport.stub("GET", kPath + "&tailLines=10",
                 FakeTransport::break_connection({kA + kB + kC + kC + "2026-01-01T00:00:11.5Z cut of"}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A10Z",
                 {.pieces = {kA + kB + kC + kC + kC, "2026-01-01T00:00:11.5Z cut off\n"}});
  start({.tail_lines = 10});
  transport.run_for(1s);
  CHECK(said == "one\ntwo\nthree\nthree\nthree\ncut off\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: equal lines at one time are counted, over several resumes") {
  transport.stub("GET", kPath, FakeTransport::break_connection({kA}));
  const std::string again = kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z";
  transport.stub("GET", again, FakeTransport::break_connection({kA + kA}));
  transport.stub("GET", again, {.pieces = {kA + kA + kB}});
  start();
  transport.run_for(5s);
  CHECK(said == "one\none\ntwo\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a line out of order over a second's border is not lost") {
  const std::string late = "2026-01-01T00:00:10.999Z late\n";
  transport.stub("GET", kPath, FakeTransport::break_connection({kC}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A10Z", {.pieces = {kC + late}});
  start();
  transport.run_for(1s);
  CHECK(said == "three\nlate\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: timestamps of any offset are understood") {
  transport.stub("GET", kPath, FakeTransport::break_connection({"2026-01-01T01:00:10.5+01:00 one\n"}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z",
                 {.pieces = {"2026-01-01T01:00:10.5+01:00 one\n"}});
  start();
  transport.run_for(1s);
  CHECK(said == "one\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: after a clean end the owner resumes or finishes") {
  const std::string last = "2026-01-01T00:00:12Z no newline";
  transport.stub("GET", kPath, {.pieces = {kC + last}});
  start();
  transport.run_for(1s);
  CHECK(said == "three\n(end)");
  SUBCASE("finish hands on what had no newline") {
    log->finish();
    CHECK(said == "three\n(end)no newline\n");
  }
  SUBCASE("resume gets it whole") {
    transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A10Z", {.pieces = {kC + last + " yet\n"}});
    log->resume();
    transport.run_for(1s);
    CHECK(said == "three\n(end)no newline yet\n(end)");
  }
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a refusal is the owner's to judge") {
  transport.stub(
      "GET", kPath,
      {.status = 400, .pieces = {api::failure_status(400, "BadRequest", "is waiting to start").dump()}});
  start();
  transport.run_for(1s);
  CHECK(said == "(is waiting to start)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a failure of the kubelet that comes as log text is a failure") {
  std::string text;
  SUBCASE("no log") {
    text = "unable to retrieve container logs for containerd://abc";
  }
  SUBCASE("no watch") {
    text = "failed to create fsnotify watcher: too many open files";
  }
  transport.stub("GET", kPath, {.pieces = {text + "\n" + kA}});
  start();
  transport.run_for(1s);
  CHECK(said == "(" + text + ")");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: lines without a timestamp are handed on as they are") {
  transport.stub("GET", kPath, {.pieces = {"stray \xff text\n" + kA}});
  start();
  transport.run_for(1s);
  CHECK(said == "stray \xff text\none\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: gives up where the connection breaks over and over") {
  for (int i = 0; i < 11; ++i) transport.stub("GET", kPath, FakeTransport::break_connection());
  start();
  transport.run_for(30min);
  CHECK(said == "()");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a connection that brings lines may break as often as it likes") {
  std::string all;
  for (int second = 10; second < 40; ++second) {
    const std::string line = "2026-01-01T00:00:" + std::to_string(second) + "Z x\n";
    transport.stub("GET", "/api/v1/namespaces/team/pods/p/log", FakeTransport::break_connection({line}));
    all += "x\n";
  }
  transport.stub("GET", "/api/v1/namespaces/team/pods/p/log", {});
  start();
  transport.run_for(1s);
  CHECK(said == all + "(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: may be destroyed in its own callback") {
  transport.stub("GET", kPath, {.pieces = {kA + kB}});
  log = follow_log(client, "team", "p", {},
                   {.on_line =
                        [this](std::string_view, std::string_view line) {
                          said += line;
                          log.reset();
                        },
                    .on_end = [] { FAIL("ended"); },
                    .on_failure = [](const Error&) { FAIL("failed"); }});
  transport.run_for(1s);
  CHECK(said == "one");
}
