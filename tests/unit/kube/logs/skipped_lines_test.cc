#include <doctest/doctest.h>

#include "kube/logs/log_stream_fixture.h"

namespace log_stream_test {

TEST_CASE_FIXTURE(
    Fixture, "log_stream: if the node follows a file that was rotated away, the log is requested again") {
  const std::string since = "&sinceTime=2026-01-01T00%3A00%3A09Z";
  const std::string look = "/api/v1/namespaces/team/pods/p/log?timestamps=true" + since;
  FakeTransport::Stub followed{.pieces = {kA}, .stays_open = true, .between = 1600ms};
  SUBCASE("newer lines exist") {
    transport.stub("GET", kPath, followed);
    transport.stub("GET", look, {.pieces = {kB}});
    transport.stub("GET", kPath + since, {.pieces = {kB}, .stays_open = true});
    transport.stub("GET", look, {.pieces = {kB}});
    start();
    transport.run_for(10s);
    CHECK(said == "one\n(doubt)(gap 2026-01-01T00:00:10.000000001Z 2026-01-01T00:00:10.000000002Z)two\n");
  }
  SUBCASE("the log continues after the newer lines") {
    followed.pieces = {kA, kC};
    transport.stub("GET", kPath, followed);
    transport.stub("GET", look, {.pieces = {kB}});
    transport.stub("GET", kPath + since, {.pieces = {kB, kC}, .stays_open = true});
    transport.stub("GET",
                   "/api/v1/namespaces/team/pods/p/log?timestamps=true&sinceTime=2026-01-01T00%3A00%3A10Z",
                   {.pieces = {kB, kC}});
    start();
    transport.run_for(30s);
    CHECK(said ==
          "one\n(doubt)(gap 2026-01-01T00:00:10.000000001Z 2026-01-01T00:00:10.000000002Z)two\nthree\n");
  }
  SUBCASE("older lines arrive before the newer ones, and a new request no longer returns the older ones") {
    followed.pieces = {kA, kB + kD};
    transport.stub("GET", kPath, followed);
    transport.stub("GET", look, {.pieces = {kC}});
    transport.stub("GET", kPath + since, {.pieces = {kC + kD}, .stays_open = true});
    transport.stub("GET",
                   "/api/v1/namespaces/team/pods/p/log?timestamps=true&sinceTime=2026-01-01T00%3A00%3A11Z",
                   {.pieces = {kC, kD}});
    start();
    transport.run_for(20s);
    CHECK(said ==
          "one\ntwo\n(doubt)(gap 2026-01-01T00:00:10.000000002Z 2026-01-01T00:00:11.000000000Z)"
          "three\nfour\n");
  }
  SUBCASE("the server is only slow") {
    followed.pieces = {kA, kB, kC};
    transport.stub("GET", kPath, followed);
    transport.stub("GET", look, {.pieces = {kA, kB}});
    transport.stub("GET", look, {.pieces = {kA, kB, kC}});
    transport.stub("GET",
                   "/api/v1/namespaces/team/pods/p/log?timestamps=true&sinceTime=2026-01-01T00%3A00%3A10Z",
                   {.pieces = {kA, kB, kC}});
    start();
    transport.run_for(30s);
    CHECK(said == "one\ntwo\nthree\n");
  }
  SUBCASE("the program prints nothing") {
    transport.stub("GET", kPath, followed);
    transport.stub("GET", look, {.pieces = {kA}});
    start();
    transport.run_for(20s);
    CHECK(said == "one\n");
    CHECK(transport.requests.size() == 2);
  }
  SUBCASE("the server does not send the log at first") {
    transport.stub("GET", kPath, followed);
    SUBCASE("as it fails") {
      transport.stub("GET", look, {.status = 500, .pieces = {"busy"}});
    }
    SUBCASE("as it rejects the request") {
      transport.stub("GET", look, {.status = 429, .pieces = {"too many requests"}});
    }
    SUBCASE("as a proxy sends a web page") {
      transport.stub("GET", look, {.pieces = {"<html>\n"}, .headers = {{"content-type", "text/html"}}});
    }
    transport.stub("GET", look, {.pieces = {kB}});
    transport.stub("GET", kPath + since, {.pieces = {kB}, .stays_open = true});
    transport.stub("GET", look, {.pieces = {kB}});
    start();
    transport.run_for(30s);
    CHECK(said == "one\n(doubt)(gap 2026-01-01T00:00:10.000000001Z 2026-01-01T00:00:10.000000002Z)two\n");
  }
  SUBCASE("whether newer lines exist is unknown") {
    transport.stub("GET", kPath, followed);
    SUBCASE("as the connection breaks") {
      transport.stub("GET", look, FakeTransport::break_connection());
    }
    SUBCASE("as no answer comes") {
      transport.stub("GET", look, {.stays_open = true});
    }
    transport.stub("GET", kPath + since, {.pieces = {kB}, .stays_open = true});
    transport.stub("GET", look, {.pieces = {kB}});
    start();
    transport.run_for(20s);
    CHECK(said == "one\n(doubt)(gap 2026-01-01T00:00:10.000000001Z 2026-01-01T00:00:10.000000002Z)two\n");
  }
}

}  // namespace log_stream_test
