#include "kml/kube/logs/log_stream.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/status.h"
#include "kube/logs/log_stream_fixture.h"

namespace log_stream_test {

TEST_CASE_FIXTURE(Fixture,
                  "log_stream: passes on lines without their timestamps, however the bytes are split") {
  std::vector<std::string> pieces;
  for (char c : kA + kB) pieces.emplace_back(1, c);
  transport.stub("GET", kPath, {.pieces = pieces});
  start();
  transport.run_for(1s);
  CHECK(said == "one\ntwo\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: resumes just before the last line, and skips what it has passed on") {
  transport.stub("GET", kPath + "&tailLines=10",
                 FakeTransport::break_connection({kA + kB + kC + kC + "2026-01-01T00:00:11.5Z cut of"}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A10Z",
                 {.pieces = {kA + kB + kC + kC + kC, "2026-01-01T00:00:11.5Z cut off\n"}});
  start({.tail_lines = 10});
  transport.run_for(1s);
  CHECK(said == "one\ntwo\nthree\nthree\nthree\ncut off\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: equal lines with one timestamp are counted over several resumes") {
  transport.stub("GET", kPath, FakeTransport::break_connection({kA}));
  const std::string again = kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z";
  transport.stub("GET", again, FakeTransport::break_connection({kA + kA}));
  transport.stub("GET", again, {.pieces = {kA + kA + kB}});
  start();
  transport.run_for(5s);
  CHECK(said == "one\none\ntwo\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a line out of order at the border of a second is not lost") {
  const std::string late = "2026-01-01T00:00:10.999Z late\n";
  transport.stub("GET", kPath, FakeTransport::break_connection({kC}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A10Z", {.pieces = {kC + late}});
  start();
  transport.run_for(1s);
  CHECK(said == "three\nlate\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: timestamps with any offset are understood") {
  transport.stub("GET", kPath, FakeTransport::break_connection({"2026-01-01T01:00:10.5+01:00 one\n"}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z",
                 {.pieces = {"2026-01-01T01:00:10.5+01:00 one\n"}});
  start();
  transport.run_for(1s);
  CHECK(said == "one\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: finish passes on the rest of a long line that had no newline") {
  const std::string part(kLongestPiece - std::string("2026-01-01T00:00:12Z ").size(), 'x'), rest(100, 'y');
  transport.stub("GET", kPath, {.pieces = {"2026-01-01T00:00:12Z " + part + rest}});
  start();
  transport.run_for(1s);
  log->finish();
  CHECK(said == part + "~(end)" + rest + "\n");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: after a clean end, the caller resumes or finishes") {
  const std::string last = "2026-01-01T00:00:12Z no newline";
  transport.stub("GET", kPath, {.pieces = {kC + last}});
  start();
  transport.run_for(1s);
  CHECK(said == "three\n(end)");
  SUBCASE("finish passes on the text without a newline") {
    log->finish();
    CHECK(said == "three\n(end)no newline\n");
  }
  SUBCASE("resume gets the whole line") {
    transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A10Z", {.pieces = {kC + last + " yet\n"}});
    log->ask({.follow = true});
    transport.run_for(1s);
    CHECK(said == "three\n(end)no newline yet\n(end)");
  }
}

TEST_CASE_FIXTURE(Fixture, "log_stream: the beginning of a line is shown, and passed on once") {
  const std::string bar = "2026-01-01T00:00:12Z ", line = "\r1%\r2%\r3%";
  FakeTransport::Stub broken = FakeTransport::break_connection({kA, bar.substr(0, 20), " \r1%", "\r2%"});
  transport.stub("GET", kPath, std::move(broken));
  // After a broken connection the line is repeated, in other pieces; lines already passed on are not shown.
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z",
                 {.pieces = {kA.substr(0, kA.size() - 1), "\n" + bar + "\r1%\r2%", "\r3%", "\n" + kC}});
  LogStreamHandler shown = handler();
  shown.on_unfinished = [this](const LogText& text) { said += "[" + std::string(text.text) + "]"; };
  log = make_log_stream(client, "team", "p", std::move(shown));
  log->ask({.follow = true});
  transport.run_for(1s);
  CHECK(said == "one\n[\r1%][\r1%\r2%][\r1%\r2%][" + line + "]" + line + "\nthree\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: the caller decides about a rejection") {
  transport.stub(
      "GET", kPath,
      {.status = 400, .pieces = {api::failure_status(400, "BadRequest", "is waiting to start").dump()}});
  start();
  transport.run_for(1s);
  CHECK(said == "(is waiting to start)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a kubelet failure that arrives as log text is a failure") {
  std::string text, end = "\n" + kA;
  SUBCASE("no log") {
    text = "unable to retrieve container logs for containerd://abc";
  }
  SUBCASE("no watch") {
    text = "failed to create fsnotify watcher: too many open files";
  }
  SUBCASE("without a newline") {
    text = "unable to retrieve container logs for containerd://abc";
    end = "";
  }
  transport.stub("GET", kPath, {.pieces = {text + end}});
  start();
  transport.run_for(1s);
  CHECK(said == "(" + text + ")");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_stream: only kml's own server can mark missing lines, a container's text cannot") {
  const std::string notice = "kml: lines are missing here: 5 bytes\n";
  transport.stub("GET", kPath, {.pieces = {kA + notice + kB + "2026-01-01T00:00:11Z " + notice}});
  start();
  transport.run_for(1s);
  CHECK(said == "one\n(5 bytes)two\n" + notice + "(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: lines without a timestamp are passed on unchanged") {
  transport.stub("GET", kPath, {.pieces = {"stray \xff text\n" + kA}});
  start();
  transport.run_for(1s);
  CHECK(said == "stray \xff text\none\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: gives up if the connection breaks again and again") {
  for (int i = 0; i < 11; ++i) transport.stub("GET", kPath, FakeTransport::break_connection());
  start();
  transport.run_for(30min);
  CHECK(said == "()");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a connection that delivers lines may break any number of times") {
  std::string all, before;
  for (int second = 10; second < 40; ++second) {
    const std::string line = "2026-01-01T00:00:" + std::to_string(second) + "Z x\n";
    transport.stub("GET", "/api/v1/namespaces/team/pods/p/log",
                   FakeTransport::break_connection({before + line}));
    before = line;
    all += "x\n";
  }
  transport.stub("GET", "/api/v1/namespaces/team/pods/p/log", {});
  start();
  transport.run_for(1s);
  CHECK(said == all + "(end)");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_stream: failures before the last received line do not make the next wait longer") {
  const std::string path = "/api/v1/namespaces/team/pods/p/log";
  std::string before;
  for (int second = 10; second < 30; ++second) {
    const std::string line = "2026-01-01T00:00:" + std::to_string(second) + "Z x\n";
    transport.stub("GET", path, FakeTransport::break_connection({before + line}));
    transport.stub("GET", path, FakeTransport::break_connection({line}));
    before = line;
  }
  transport.stub("GET", path, {});
  start();
  transport.run_for(20 * 1600ms);
  CHECK(said.ends_with("(end)"));
}

TEST_CASE_FIXTURE(Fixture, "log_stream: may be destroyed in its own callback") {
  transport.stub("GET", kPath, {.pieces = {kA + kB, kC}});
  LogStreamHandler destroying = handler();
  destroying.on_lines = [this](std::span<const LogText> lines) {
    for (const LogText& line : lines) said += line.text;
    log.reset();
  };
  destroying.on_end = [] { FAIL("ended"); };
  log = make_log_stream(client, "team", "p", destroying);
  log->ask({.follow = true});
  transport.run_for(1s);
  CHECK(said == "onetwo");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: lines that arrived together are passed on together") {
  transport.stub("GET", kPath, {.pieces = {kA + kB, kC}});
  start();
  transport.run_for(1s);
  CHECK(batches == 2);
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a log that was rotated between two requests has a gap") {
  transport.stub("GET", kPath, FakeTransport::break_connection({kA}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z", {.pieces = {kC, kC}});
  start();
  transport.run_for(1s);
  CHECK(said ==
        "one\n(doubt)(gap 2026-01-01T00:00:10.000000001Z 2026-01-01T00:00:11.000000000Z)three\nthree\n(end)");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_stream: after a rotation, the rest of a second is distinguished from new lines") {
  transport.stub("GET", kPath, FakeTransport::break_connection({kA + kB}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z", {.pieces = {kB + kB + kC}});
  start();
  transport.run_for(1s);
  CHECK(said == "one\ntwo\ntwo\nthree\n(end)");
}

TEST_CASE_FIXTURE(
    Fixture,
    "log_stream: stops if the log may belong to another run, so that the logs of two runs are not mixed") {
  transport.stub("GET", kPath, FakeTransport::break_connection({kA}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z", {.pieces = {kC, kC}});
  transport.stub(
      "GET",
      "/api/v1/namespaces/team/pods/p/log?previous=true&timestamps=true&sinceTime=2026-01-01T00%3A00%3A09Z",
      {.pieces = {kA + kB}});
  LogStreamHandler doubting = handler();
  doubting.on_doubt = [this] { said += "(doubt)"; };
  log = make_log_stream(client, "team", "p", doubting);
  log->ask({.follow = true});
  transport.run_for(10s);
  CHECK(said == "one\n(doubt)");
  log->ask({.previous = true});
  transport.run_for(1s);
  CHECK(said == "one\n(doubt)two\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: continues after the lines that an earlier process has passed on") {
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z", {.pieces = {kA + kB + kC}});
  log = make_log_stream(client, "team", "p", handler());
  log->recall(*parse_rfc3339("2026-01-01T00:00:10.000000001Z"), "one");
  log->recall(*parse_rfc3339("2026-01-01T00:00:10.000000002Z"), "two");
  log->ask({.follow = true, .tail_lines = 1});
  transport.run_for(1s);
  CHECK(said == "three\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a line that is too long arrives in pieces, even across a break") {
  const std::string longest(3 * kLongestPiece, 'x');
  const std::string line = "2026-01-01T00:00:10Z " + longest + "END\n";
  transport.stub("GET", kPath, FakeTransport::break_connection({line.substr(0, kLongestPiece + 99)}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z", {.pieces = {line}});
  start();
  transport.run_for(1s);
  std::erase(said, '~');
  CHECK(said == longest + "END\n(end)");
}

TEST_CASE_FIXTURE(Fixture, "log_stream: a response that resumes within a long line starts no new line") {
  // The kubelet joins the parts of a long line, each with its own time, but leaves out parts before
  // sinceTime.
  const std::string whole = "2026-01-01T00:00:08.9Z begins " + std::string(99, 'x') + "ends\n";
  transport.stub("GET", kPath, FakeTransport::break_connection({whole + kA}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A09Z",
                 {.pieces = {"2026-01-01T00:00:09.1Z ends\n" + kA + kB}});
  start();
  transport.run_for(1s);
  CHECK(said.ends_with("xends\none\ntwo\n(end)"));
}

TEST_CASE_FIXTURE(Fixture, "log_stream: passes on nothing while it is paused") {
  transport.stub("GET", kPath, {.pieces = {kA, kB}});
  start();
  log->pause(true);
  transport.run_for(5s);
  CHECK(said.empty());
  log->pause(false);
  transport.run_for(1s);
  CHECK(said == "one\ntwo\n(end)");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_stream: since follows the node's clock, and reaches further back in later requests") {
  transport.stub("GET", kPath + "&sinceSeconds=60", FakeTransport::break_connection());
  transport.stub("GET", kPath + "&sinceSeconds=60", FakeTransport::break_connection());
  transport.stub("GET", "/api/v1/namespaces/team/pods/p/log", {.stays_open = true});
  start({.since_seconds = 60s});
  transport.run_for(10s);
  CHECK(transport.requests.back().path != kPath + "&sinceSeconds=60");
  CHECK(transport.requests.back().path.starts_with(kPath + "&sinceSeconds=6"));
}

TEST_CASE_FIXTURE(Fixture, "log_stream: no line is lost when a node's clock is set back") {
  const std::string back = "2026-01-01T00:00:01.5Z back\n", next = "2026-01-01T00:00:01.6Z next\n";
  transport.stub("GET", kPath, FakeTransport::break_connection({kA + back}));
  transport.stub("GET", kPath + "&sinceTime=2026-01-01T00%3A00%3A00Z", {.pieces = {kA + back + next}});
  start();
  transport.run_for(1s);
  CHECK(said == "one\nback\nnext\n(end)");
}

}  // namespace log_stream_test
