#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "net/http/curl_fixture.h"
#include "support/eventually.h"

namespace curl_transport_test {

TEST_CASE("transport: send_all gives each request its own answer or error") {
  ScriptedServer server([](const ReceivedRequest& request, ServerConnection& connection) {
    if (request.target == "/7") return connection.reset();
    connection.answer(200, request.target);
  });
  auto transport = make_curl_transport({.url = server.url()});
  std::vector<Request> requests(100);
  for (size_t i = 0; i < requests.size(); ++i) requests[i].path = "/" + std::to_string(i);
  std::vector<std::string> answers(requests.size());
  transport->send_all(requests, [&](size_t index, const Response* response, const Error* error) {
    answers[index] += response ? response->body : error->reason;
  });
  for (size_t i = 0; i < requests.size(); ++i)
    CHECK(answers[i] == (i == 7 ? std::string(kConnectionBroke) : requests[i].path));
}

TEST_CASE(
    "transport: requests to a server without HTTP/2 are sent at once, and none waits for another's answer") {
  constexpr int kAtOnce = 8;
  std::atomic<int> come = 0;
  ScriptedServer server(
      [&](const ReceivedRequest&, ServerConnection& connection) {
        ++come;
        connection.answer(eventually([&] { return come == kAtOnce; }) ? 200 : 500, "");
      },
      ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  transport->send_all(std::vector<Request>(kAtOnce, {.path = "/"}),
                      [](size_t, const Response* response, const Error*) {
                        REQUIRE(response);
                        CHECK(response->status == 200);
                      });
}

TEST_CASE("transport: a stream passes on pieces as they arrive, and then its end") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) {
        connection.begin_chunks();
        for (const char* piece : {"a", "b", "c"}) connection.chunk(piece);
        connection.end_chunks();
      },
      ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  std::string seen;
  auto stream = transport->stream(
      {.path = "/"}, {.on_headers = [&](const Response& r) { seen += std::to_string(r.status); },
                      .on_data =
                          [&](std::string_view data) {
                            seen += data;
                            return true;
                          },
                      .on_end = [&](const Response&, const Error* e) { seen += e ? "!" : "."; }});
  CHECK(seen.empty());
  wait_until(*transport, [&] { return seen.size() == 7; });
  CHECK(seen == "200abc.");
}

TEST_CASE("transport: the rejection of a stream is passed on whole with its end") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(410, "too old"); });
  auto transport = make_curl_transport({.url = server.url()});
  std::string body;
  auto stream =
      transport->stream({.path = "/"}, {.on_data =
                                            [](std::string_view) {
                                              FAIL("no data");
                                              return true;
                                            },
                                        .on_end = [&](const Response& r, const Error*) { body = r.body; }});
  wait_until(*transport, [&] { return !body.empty(); });
  CHECK(body == "too old");
}

TEST_CASE("transport: a stream whose headers do not arrive ends with a timeout") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.wait_for_close(); });
  auto transport = make_curl_transport({.url = server.url()});
  bool timed_out = false;
  auto stream = transport->stream(
      {.path = "/", .timeout = milliseconds(50)},
      {.on_data = [](std::string_view) { return true; },
       .on_end = [&](const Response&,
                     const Error* e) { timed_out = e && e->code == ErrorCode::unreachable; }});
  wait_until(*transport, [&] { return timed_out; });
}

TEST_CASE("transport: a request can be sent from inside a stream's callback, which may then end the stream") {
  ScriptedServer server([](const ReceivedRequest& request, ServerConnection& connection) {
    if (request.target == "/one") return connection.answer(200, "1");
    connection.begin_chunks();
    connection.chunk("x");
    connection.wait_for_close();
  });
  auto transport = make_curl_transport({.url = server.url()});
  std::string got;
  std::unique_ptr<Stream> stream;
  stream = transport->stream({.path = "/stream"},
                             {.on_data =
                                  [&](std::string_view) {
                                    got = transport->send({.path = "/one"}).body;
                                    stream.reset();
                                    return true;
                                  },
                              .on_end = [](const Response&, const Error*) { FAIL("closed"); }});
  wait_until(*transport, [&] { return got == "1"; });
  transport->wait(milliseconds(1));
}

TEST_CASE("transport: an exception of a callback reaches the caller of wait") {
  ScriptedServer server([](const ReceivedRequest&, ServerConnection& connection) {
    connection.begin_chunks();
    connection.chunk("x");
    connection.wait_for_close();
  });
  auto transport = make_curl_transport({.url = server.url()});
  auto stream = transport->stream(
      {.path = "/"}, {.on_data = [](std::string_view) -> bool { throw std::runtime_error("mine"); },
                      .on_end = [](const Response&, const Error*) {}});
  CHECK_THROWS_WITH(wait_until(*transport, [] { return false; }), "mine");
}

TEST_CASE("transport: no data of a stream is lost while another request runs") {
  ScriptedServer::Tls tls = ScriptedServer::Tls::no;
  SUBCASE("http") {}
  SUBCASE("https") {
    tls = ScriptedServer::Tls::yes;
  }
  const std::string piece(1 << 16, 'x');
  ScriptedServer server(
      [&](const ReceivedRequest& request, ServerConnection& connection) {
        if (request.target == "/slow") {
          ::usleep(100'000);
          return connection.answer(200, "");
        }
        connection.begin_chunks();
        for (int i = 0; i < 200; ++i) connection.chunk(piece);
        connection.end_chunks();
      },
      tls);
  auto transport = make_curl_transport(endpoint_of(server));
  size_t size = 0;
  bool ended = false;
  auto stream =
      transport->stream({.path = "/"}, {.on_data =
                                            [&](std::string_view data) {
                                              size += data.size();
                                              return true;
                                            },
                                        .on_end = [&](const Response&, const Error* e) { ended = !e; }});
  transport->send({.path = "/slow"});
  CHECK(size == 0);
  wait_until(*transport, [&] { return ended; });
  CHECK(size == 200 * piece.size());
}

TEST_CASE("transport: wait returns when a wake descriptor is readable") {
  auto transport = make_curl_transport({.url = "http://127.0.0.1:1"});
  const Fd event(::eventfd(1, EFD_CLOEXEC));
  const int fds[] = {event.get()};
  const auto begin = transport->now();
  transport->wait(milliseconds(30'000), fds);
  CHECK(transport->now() - begin < std::chrono::seconds(20));
}

TEST_CASE("transport: a timer fires once inside wait, unless it is destroyed before") {
  auto transport = make_curl_transport({.url = "http://127.0.0.1:1"});
  int fired = 0, cancelled = 0;
  auto timer = transport->after(milliseconds(5), [&] { ++fired; });
  auto gone = transport->after(milliseconds(1), [&] { ++cancelled; });
  gone.reset();
  wait_until(*transport, [&] { return fired > 0; });
  transport->wait(milliseconds(10));
  CHECK(fired == 1);
  CHECK(cancelled == 0);
}

}  // namespace curl_transport_test
