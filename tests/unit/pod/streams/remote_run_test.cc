#include "pod/streams/remote_run.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/net/http/websocket.h"
#include "support/agreeing_transport.h"

namespace remote_run_test {

using namespace kml;
using namespace kml::pod;
using http::websocket::Opcode;
using http::websocket::Role;

namespace {

constexpr const char* kExec = "/api/v1/namespaces/team/pods/bert-0/exec";

std::string message(char channel, const std::string& content) {
  return frame(Role::server, Opcode::binary, std::string(1, channel) + content);
}

const std::string kSuccess = message(3, R"({"status":"Success"})");
std::string failure(const std::string& reason, const std::string& code) {
  return message(3, R"({"status":"Failure","reason":")" + reason +
                        R"(","message":"m","details":{"causes":[{"reason":"ExitCode","message":")" + code +
                        R"("}]}})");
}

constexpr const char* kMark = "MARKMARKMARKMARKMARK-";
constexpr const char *kHalfMark = "HALFHALFHA", *kOtherHalf = "OTHEROTHER-";

/// Answers with these pieces of output, after replacing kMark by the mark that the shell was told to print.
struct MarkingTransport : AgreeingTransport {
  std::unique_ptr<http::Connection> upgrade(http::Request request, http::ConnectionHandler handler) override {
    const size_t at = request.path.find("echo%20kml-");
    const std::string mark = at == std::string::npos ? "" : request.path.substr(at + 7, 21);
    handler.on_data = [mark, on_data = handler.on_data](std::string_view bytes) {
      std::string text(bytes);
      // The mark has the same length, so the frames keep their size.
      for (size_t found = text.find(kMark); found != std::string::npos; found = text.find(kMark))
        text.replace(found, mark.size(), mark);
      if (const size_t found = text.find(kHalfMark); found != std::string::npos)
        text.replace(found, 10, mark, 0, 10);
      if (const size_t found = text.find(kOtherHalf); found != std::string::npos)
        text.replace(found, 11, mark, 10, 11);
      return on_data(text);
    };
    return AgreeingTransport::upgrade(std::move(request), std::move(handler));
  }
};

struct Fixture {
  MarkingTransport transport;
  kube::Client client{transport};
  std::string output, errors;
  int starts = 0;
  std::unique_ptr<RemoteRun> run;

  void serve(std::vector<std::string> pieces) {
    transport.stub("GET", kExec, {.status = 101, .pieces = std::move(pieces)});
  }
  void start(bool has_terminal = false) {
    run = std::make_unique<RemoteRun>(client,
                                      kube::RemoteCommand{.namespace_name = "team",
                                                          .pod = "bert-0",
                                                          .command = {"echo", "a"},
                                                          .has_terminal = has_terminal},
                                      RemoteRun::Handler{.on_start = [&](kube::RemoteProcess&) { ++starts; },
                                                         .on_output =
                                                             [&](bool is_error, std::string_view bytes) {
                                                               (is_error ? errors : output) += bytes;
                                                             }});
    for (int i = 0; i < 20 && !run->end(); ++i) transport.wait(std::chrono::seconds(1));
    REQUIRE(run->end());
  }
  /// Starts a command that sends nothing after `pieces`, and does not end.
  void start_endless(std::vector<std::string> pieces) {
    transport.stub(
        "GET", kExec,
        {.status = 101, .pieces = std::move(pieces), .stays_open = true, .between = std::chrono::seconds(1)});
    run = std::make_unique<RemoteRun>(
        client, kube::RemoteCommand{.namespace_name = "team", .pod = "bert-0", .command = {"sleep", "9"}},
        RemoteRun::Handler{.on_output = [](bool, std::string_view) {}});
  }
  size_t signals_sent(const std::string& name) {
    return std::ranges::count_if(transport.requests, [&](const http::Request& request) {
      return request.path.find("&command=" + name + "&command=4711") != std::string::npos;
    });
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "remote run: the shell's process id is read, and is not printed") {
  SUBCASE("in one piece") {
    serve({message(1, "MARKMARKMARKMARKMARK-4711\nout"), message(2, "err"), kSuccess});
  }
  SUBCASE("as a terminal prints it") {
    serve({message(1, "MARKMARKMARKMARKMARK-4711\r\nout"), message(2, "err"), kSuccess});
  }
  SUBCASE("in pieces") {
    serve({message(1, "MARKMARKMARKMARKMARK-47"), message(1, "11\n"), message(1, "out"), message(2, "err"),
           kSuccess});
  }
  start(true);
  CHECK(output == "out");
  CHECK(errors == "err");
  CHECK(starts == 1);
  CHECK(run->end()->exit_code == 0);
  serve({kSuccess});
  CHECK(run->send_signal("TERM"));
  CHECK(transport.requests.back().path.find("&command=TERM&command=4711") != std::string::npos);
  for (int i = 0; i < 3; ++i) transport.wait(std::chrono::seconds(1));
}

TEST_CASE_FIXTURE(Fixture, "remote run: a signal that arrives before the process id is sent after it") {
  start_endless({message(2, ""), message(1, "MARKMARKMARKMARKMARK-4711\n")});
  CHECK(run->send_signal("HUP"));
  CHECK(signals_sent("HUP") == 0);
  serve({kSuccess});
  transport.run_for(std::chrono::seconds(5));
  CHECK(signals_sent("HUP") == 1);
}

TEST_CASE_FIXTURE(Fixture, "remote run: a signal that was not delivered is sent again") {
  start_endless({message(1, "MARKMARKMARKMARKMARK-4711\n")});
  transport.run_for(std::chrono::seconds(2));
  SUBCASE("the connection broke") {
    transport.stub("GET", kExec, FakeTransport::break_connection());
  }
  SUBCASE("the runtime could not start the command that sends it") {
    serve({failure("InternalError", "")});
  }
  serve({kSuccess});
  CHECK(run->send_signal("TERM"));
  transport.run_for(std::chrono::seconds(5));
  CHECK(signals_sent("TERM") == 2);
}

TEST_CASE_FIXTURE(Fixture, "remote run: an image without a shell runs the command itself") {
  SUBCASE("containerd") {
    serve({failure("InternalError", "")});
  }
  SUBCASE("CRI-O") {
    serve({failure("NonZeroExitCode", "127")});
  }
  serve({message(1, "out"), failure("NonZeroExitCode", "7")});
  start();
  CHECK(output == "out");
  CHECK(run->end()->exit_code == 7);
  CHECK(transport.requests.back().path ==
        std::string(kExec) + "?command=echo&command=a&stdout=true&stderr=true");
  CHECK_FALSE(run->has_pid());
  CHECK_FALSE(run->send_signal("TERM"));
}

TEST_CASE_FIXTURE(Fixture, "remote run: a command that has started is not started again") {
  serve({message(1, "MARKMARKMARKMARKMARK-4711\n"), failure("NonZeroExitCode", "127")});
  start();
  CHECK(run->end()->exit_code == 127);
}

TEST_CASE_FIXTURE(Fixture, "remote run: an end without a status, or a rejection, is not retried") {
  SUBCASE("without a status") {
    serve({message(2, "x")});
    start();
    CHECK(run->end()->error->code == ErrorCode::unreachable);
  }
  SUBCASE("the connection broke before the answer: the command may have started") {
    Error broke(ErrorCode::unreachable, "the connection broke");
    broke.reason = http::kConnectionBroke;
    transport.stub("GET", kExec, {.status = 0, .broken = std::make_shared<Error>(broke)});
    start();
    CHECK(run->end()->error->code == ErrorCode::unreachable);
  }
  SUBCASE("rejected") {
    transport.answer("GET", kExec, {{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "no"}}, 403);
    start();
    CHECK(run->end()->error->code == ErrorCode::auth);
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "remote run: the exit code is the one that the shell reports, whatever the server says") {
  SUBCASE("success without output, as containerd 1.6 reports if the input ends with the command") {
    serve({message(1, "MARKMARKMARKMARKMARK-4711\nout"), message(2, "err"),
           message(2, "MARKMARKMARKMARKMARK-5\n"), message(1, "MARKMARKMARKMARKMARK-5\n"), kSuccess});
  }
  SUBCASE("in pieces") {
    serve({message(1, "MARKMARKMARKMARKMARK-4711\n"), message(1, "outHALFHALFHA"), message(1, "OTHEROTHER-5"),
           message(2, "errMARKMARKMARKMARKMARK-"), message(1, "\n"), message(2, "5\n")});
  }
  start();
  CHECK(output == "out");
  CHECK(errors == "err");
  CHECK_FALSE(run->end()->error);
  CHECK(run->end()->exit_code == 5);
  CHECK(run->process() == nullptr);
}

TEST_CASE_FIXTURE(Fixture, "remote run: if the shell reports no end, the server's success does not count") {
  serve({message(1, "MARKMARKMARKMARKMARK-4711\noutHALFHALFHA"), kSuccess});
  start();
  CHECK(output.starts_with("outkml-"));
  CHECK(run->end()->error->code == ErrorCode::unreachable);
}

TEST_CASE_FIXTURE(Fixture, "remote run: the server reports how a killed shell ended") {
  serve({message(1, "MARKMARKMARKMARKMARK-4711\n"), failure("NonZeroExitCode", "137")});
  start();
  CHECK(run->end()->exit_code == 137);
}

}  // namespace remote_run_test
