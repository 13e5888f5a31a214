#include "kml/kube/client/remote_process.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/resource.h"
#include "support/agreeing_transport.h"

namespace remote_process_test {

using namespace kml;
using namespace kml::kube;
using http::websocket::Opcode;
using http::websocket::Role;

namespace {

constexpr const char* kPath = "/api/v1/namespaces/team/pods/bert-0/exec";

std::string message(char channel, const std::string& content) {
  return frame(Role::server, Opcode::binary, std::string(1, channel) + content);
}

std::string exit_status(const std::string& json) {
  return message(3, json) + frame(Role::server, Opcode::close, http::websocket::close_payload(1000));
}

struct Fixture {
  AgreeingTransport transport;
  Client client{transport};
  std::string output, errors, failure, why;
  std::optional<int> code;
  bool is_over = false;

  void run(RemoteCommand command, const std::function<void(RemoteProcess&)>& then = {}) {
    RemoteProcess process(
        client, std::move(command),
        {.on_output = [&](bool is_error, std::string_view bytes) { (is_error ? errors : output) += bytes; },
         .on_end =
             [&](std::optional<int> exit_code, const Error* error) {
               is_over = true;
               code = exit_code;
               if (error) failure = error->message, why = error->why;
             }});
    if (then) then(process);
    for (int i = 0; i < 5 && !is_over; ++i) transport.wait(std::chrono::seconds(1));
  }
  RemoteCommand command() {
    return {.namespace_name = "team", .pod = "bert-0", .container = "main", .command = {"echo", "a b"}};
  }
  void serve(std::vector<std::string> pieces, bool breaks = false) {
    FakeTransport::Stub stub{.status = 101, .pieces = std::move(pieces)};
    if (breaks) stub.broken = std::make_shared<Error>(ErrorCode::unreachable, "it broke", "reset by peer");
    transport.stub("GET", kPath, std::move(stub));
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "remote process: returns output by stream, and the exit code") {
  serve(
      {frame(Role::server, Opcode::binary, ""), message(1, "out") + message(2, "err"), message(1, "put"),
       exit_status(
           R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"137"}]}})")});
  run(command());
  CHECK(output == "output");
  CHECK(errors == "err");
  CHECK(code == 137);
  CHECK(transport.requests[0].path ==
        std::string(kPath) + "?container=main&command=echo&command=a%20b&stdout=true&stderr=true");
}

TEST_CASE_FIXTURE(Fixture, "remote process: success is exit code 0") {
  serve({exit_status(R"({"metadata":{},"status":"Success"})")});
  run(command());
  CHECK(code == 0);
}

TEST_CASE_FIXTURE(
    Fixture,
    "remote process: if the connection ends without a status, the exit code is unknown, however it ends") {
  const std::string closed = frame(Role::server, Opcode::close, http::websocket::close_payload(1000));
  SUBCASE("closed") {
    serve({message(1, "a"), closed});
  }
  SUBCASE("ended") {
    serve({message(1, "a")});
  }
  SUBCASE("broken") {
    serve({message(1, "a")}, true);
  }
  run(command());
  CHECK_FALSE(code);
  CHECK(failure == "the connection to pod \"bert-0\" closed before the command finished");
}

TEST_CASE_FIXTURE(Fixture, "remote process: the server's reason is reported if the command did not start") {
  serve({exit_status(R"({"status":"Failure","reason":"InternalError","message":"no such file"})")});
  run(command());
  CHECK_FALSE(code);
  CHECK(why == "no such file");
}

TEST_CASE_FIXTURE(Fixture, "remote process: a rejection is reported with its reason") {
  transport.answer("GET", kPath, api::failure_status(403, "Forbidden", "you may not exec"), 403);
  run(command());
  CHECK(failure == "cannot run a command in pod \"bert-0\"");
  CHECK(why.find("you may not exec") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture,
                  "remote process: a rejected request has not run, so it is repeated: once after a 401, for "
                  "some seconds while the server is busy; meanwhile, input waits") {
  for (const int status : {401, 429, 502, 503, 504}) {
    CAPTURE(status);
    transport.stub("GET", kPath, {.status = status});
  }
  serve({exit_status(R"({"status":"Success"})")});
  code.reset();
  RemoteProcess process(client, command(),
                        {.on_output = [](bool, std::string_view) {},
                         .on_end = [&](std::optional<int> exit_code, const Error*) { code = exit_code; }});
  process.send("typed");
  for (int i = 0; i < 50 && !code; ++i) transport.wait(std::chrono::seconds(1));
  CHECK(code == 0);
  CHECK(transport.requests.size() == 6);
  CHECK(transport.sent.size() == 6 + 1 + 5);  // sent once: the head of a frame, the channel and the text
}

TEST_CASE_FIXTURE(Fixture, "remote process: kml gives up if the server rejects every request") {
  const auto times = [&](int count, int status) {
    for (int i = 0; i < count; ++i) transport.stub("GET", kPath, {.status = status});
    RemoteProcess process(
        client, command(),
        {.on_output = [](bool, std::string_view) {},
         .on_end = [&](std::optional<int>, const Error* error) { is_over = error != nullptr; }});
    is_over = false;
    for (int i = 0; i < 50 && !is_over; ++i) transport.wait(std::chrono::seconds(1));
    CHECK(is_over);
  };
  times(2, 401);
  times(6, 503);
  times(1, 500);  // the kubelet's own rejections
}

TEST_CASE_FIXTURE(Fixture, "remote process: a server that answers with another key is rejected") {
  transport.is_strange = true;
  serve({message(1, "a")});
  run(command());
  CHECK(why == "the server does not support v5.channel.k8s.io");
  CHECK(output.empty());
}

TEST_CASE_FIXTURE(
    Fixture,
    "remote process: a ping is answered, input is split into frames, sizes and the end of input are sent") {
  serve({frame(Role::server, Opcode::ping, "p"), exit_status(R"({"status":"Success"})")});
  run({.namespace_name = "team",
       .pod = "bert-0",
       .command = {"echo"},
       .has_input = true,
       .has_terminal = true},
      [](RemoteProcess& process) {
        process.send(std::string(40000, 'x'));
        process.resize(80, 24);
        process.close_input();
      });
  std::vector<std::pair<Opcode, std::string>> sent;
  http::websocket::Reader reader(Role::server);
  reader.feed(transport.sent, [&](Opcode opcode, std::string_view payload) {
    sent.emplace_back(opcode, payload);
    return true;
  });
  REQUIRE(sent.size() == 5);
  CHECK(sent[0].second.size() + sent[1].second.size() == 40002);
  CHECK(sent[0].second.size() <= 32768);
  CHECK(sent[2].second == std::string("\x04") + R"({"Height":24,"Width":80})");
  CHECK(sent[3].second == std::string("\xff\0", 2));
  CHECK(sent[4] == std::pair(Opcode::pong, std::string("p")));
  CHECK(transport.requests[0].path == std::string(kPath) + "?command=echo&stdin=true&stdout=true&tty=true");
}

TEST_CASE_FIXTURE(
    Fixture, "remote process: if the server's report never ends, the exit code is unknown, with a reason") {
  serve({message(3, std::string(size_t{1} << 20, '{')), message(3, R"({"status":"Success"})")}, true);
  run(command());
  CHECK(is_over);
  CHECK_FALSE(code);
  CHECK(failure == "cannot read JSON from the server's report about how the command ended");
}

}  // namespace remote_process_test
