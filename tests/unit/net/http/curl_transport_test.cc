#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "kml/base/archive.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/net/http/transport.h"
#include "net/http/curl_fixture.h"
#include "support/environment.h"
#include "support/eventually.h"
#include "support/scripted_server.h"
#include "support/test_certificates.h"

namespace curl_transport_test {

TEST_CASE("transport: sends method, path, headers and body, and returns the whole answer") {
  ScriptedServer server(
      [](const ReceivedRequest& request, ServerConnection& connection) {
        connection.answer(201, request.body + request.headers.at("content-type"), "X-Mixed-Case: Yes\r\n");
      },
      ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  const Response response = transport->send(
      {.method = "POST", .path = "/a%20b?x=1", .headers = {{"Content-Type", "text/x"}}, .body = "hello "});
  CHECK(response.status == 201);
  CHECK(response.body == "hello text/x");
  CHECK(response.headers.find("x-mixed-case")->second == "Yes");
  CHECK(server.requests().at(0).method == "POST");
  CHECK(server.requests().at(0).target == "/a%20b?x=1");
}

TEST_CASE("transport: the method is sent unchanged") {
  ScriptedServer server(kEcho);
  auto transport = make_curl_transport({.url = server.url() + "/prefix/"});
  CHECK(transport->send({.method = "GET", .path = "/x"}).body == "GET /prefix/x ");
  CHECK(transport->send({.method = "DELETE", .path = "/x", .body = "{}"}).body == "DELETE /prefix/x {}");
  CHECK(transport->send({.method = "PATCH", .path = "/x", .body = "p"}).body == "PATCH /prefix/x p");
  CHECK(transport->send({.method = "POST", .path = "/x"}).body == "POST /prefix/x ");
}

TEST_CASE("transport: requests share one connection") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  for (int i = 0; i < 3; ++i) transport->send({.path = "/"});
  CHECK(server.requests().back().connection == 1);
}

TEST_CASE("transport: a stream's separate connection closes with the stream") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  for (int i = 1; i <= 3; ++i) {
    bool ended = false;
    const auto stream =
        transport->stream({.path = "/", .own_connection = true},
                          {.on_data = [](std::string_view) { return true; },
                           .on_end = [&ended](const Response&, const Error*) { ended = true; }});
    const auto deadline = transport->now() + std::chrono::minutes(5);
    while (!ended && transport->now() < deadline) transport->wait(std::chrono::seconds(1));
    CHECK(server.requests().back().connection == i);
  }
}

TEST_CASE("transport: a redirect is an answer and is not followed") {
  ScriptedServer server([](const ReceivedRequest&, ServerConnection& connection) {
    connection.answer(302, "", "Location: /elsewhere\r\n");
  });
  auto transport = make_curl_transport({.url = server.url()});
  CHECK(transport->send({.path = "/"}).status == 302);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("transport: asks for the credential before each request, and reports a 401") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(401, ""); },
      ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  int asked = 0, refused = 0;
  endpoint.authorization = [&] { return "Bearer " + std::to_string(++asked); };
  endpoint.on_unauthorized = [&] { ++refused; };
  auto transport = make_curl_transport(endpoint);
  transport->send({.path = "/"});
  transport->send({.path = "/"});
  CHECK(server.requests().at(1).headers.at("authorization") == "Bearer 2");
  CHECK(refused == 2);

  int status = 0;
  const auto connection = transport->upgrade(
      {.path = "/exec", .headers = {{"Connection", "Upgrade"}, {"Upgrade", "websocket"}}},
      {.on_data = [](std::string_view) { return false; },
       .on_end = [&](const Response& response, const Error*) { status = response.status; }});
  while (status == 0) transport->wait(std::chrono::seconds(1));
  CHECK(status == 401);
  CHECK(refused == 3);
}

TEST_CASE("transport: a connection for an upgrade can be prepared while another request runs") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(200, ""); },
      ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  transport->connect_ahead();
  transport->send({.path = "/"});
  for (const int known : {1, 3}) {  // for the second one, no connection was prepared
    int status = 0;
    const auto connection = transport->upgrade(
        {.path = "/exec", .headers = {{"Connection", "Upgrade"}, {"Upgrade", "websocket"}}},
        {.on_data = [](std::string_view) { return false; },
         .on_end = [&](const Response& response, const Error*) { status = response.status; }});
    while (status == 0) transport->wait(std::chrono::seconds(1));
    CHECK(server.requests().back().connection == known);
  }
  CHECK(server.requests().front().connection == 2);
}

TEST_CASE("transport: a large answer is rejected if it decompresses to far more than was sent") {
  std::string packed, refusal;
  size_t size = 0;
  SUBCASE("made to fill the memory") {
    packed = gzipped(std::string(size_t{40} << 20, '0'));
    refusal = "cannot accept the response of http://far.test:80";
  }
  SUBCASE("compressed twice") {
    packed = gzipped(gzipped(std::string(size_t{100} << 20, '0')));
    refusal = "cannot accept the response of http://far.test:80";
  }
  SUBCASE("small") {
    packed = gzipped(std::string(size = size_t{12} << 20, '0'));
  }
  SUBCASE("many similar pods") {
    std::string list, environment;
    for (int i = 0; i < 250; ++i)
      environment += "NAME_" + std::to_string(i) + "=value " + std::to_string(i * i) + ",";
    for (int i = 0; list.size() < size_t{40} << 20; ++i)
      list += "{\"name\":\"worker-" + std::to_string(i) + "\",\"env\":\"" + environment + "\"}";
    packed = gzipped(list);
    size = list.size();
  }
  ScriptedServer proxy([&](const ReceivedRequest&, ServerConnection& connection) {
    const bool is_double = packed.size() < 5000;
    connection.answer(200, packed,
                      std::string("Content-Encoding: gzip") + (is_double ? ", gzip" : "") + "\r\n");
  });
  Endpoint endpoint{.url = "http://far.test"};
  endpoint.proxy_url = proxy.url();
  const auto transport = make_curl_transport(endpoint);
  if (refusal.empty()) {
    CHECK(transport->send({.path = "/"}).body.size() == size);
    return;
  }
  try {
    transport->send({.path = "/"});
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(error.message == refusal);
    CHECK(error.why.find(" KiB unpack to more than ") != std::string::npos);
    CHECK(error.fix.find("disable-compression: true") != std::string::npos);
  }
}

TEST_CASE(
    "transport: whole answers are requested in gzip, streams and answers from this machine uncompressed") {
  ScriptedServer proxy([](const ReceivedRequest& request, ServerConnection& connection) {
    if (!request.headers.contains("accept-encoding")) return connection.answer(200, "plain");
    CHECK(request.headers.at("accept-encoding") == "gzip");
    connection.answer(200, base64_decoded("H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA=").value(),
                      "Content-Encoding: gzip\r\n");
  });
  Endpoint endpoint{.url = "http://far.test"};
  endpoint.proxy_url = proxy.url();
  std::string expected = "hello\n";
  SUBCASE("a remote server") {}
  SUBCASE("as the kubeconfig says") {
    endpoint.disable_compression = true;
    expected = "plain";
  }
  SUBCASE("this machine") {
    endpoint = {.url = proxy.url()};
    expected = "plain";
  }
  auto transport = make_curl_transport(endpoint);
  CHECK(transport->send({.path = "/"}).body == expected);
  std::string streamed;
  bool ended = false;
  auto stream =
      transport->stream({.path = "/"}, {.on_data =
                                            [&](std::string_view data) {
                                              streamed += data;
                                              return true;
                                            },
                                        .on_end = [&](const Response&, const Error*) { ended = true; }});
  wait_until(*transport, [&] { return ended; });
  CHECK(streamed == "plain");
}

TEST_CASE("transport: reports each of the server's warnings once") {
  ScriptedServer server([](const ReceivedRequest& request, ServerConnection& connection) {
    connection.answer(200, "", "Warning: 299 - \"old\"\r\nWarning: 299 - \"" + request.target + "\"\r\n");
  });
  Endpoint endpoint{.url = server.url()};
  std::vector<std::string> told;
  endpoint.on_warning = [&](const std::string& text) { told.push_back(text); };
  auto transport = make_curl_transport(endpoint);
  for (const char* path : {"/a", "/b", "/a"}) transport->send({.path = path});
  CHECK(told == std::vector<std::string>{"old", "/a", "/b"});
}

TEST_CASE("transport: an invalid URL is a usage error that does not show its password") {
  const char* url = "";
  SUBCASE("another scheme") {
    url = "file:///etc/passwd";
  }
  SUBCASE("no scheme") {
    url = "10.0.0.1:6443";
  }
  SUBCASE("a user in it") {
    url = "https://ana:s3cret@10.0.0.1";
  }
  SUBCASE("no host") {
    url = "https://:6443";
  }
  SUBCASE("an invalid port") {
    url = "https://host:99999";
  }
  SUBCASE("a query") {
    url = "https://host/path?x";
  }
  try {
    make_curl_transport({.url = url});
    FAIL("it was taken: " << url);
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    CHECK(describe(error).find("s3cret") == std::string::npos);
  }
}

TEST_CASE("transport: a missing server is unreachable") {
  int port = 0;
  {
    ScriptedServer gone(kEcho);
    port = gone.port();
  }
  auto transport = make_curl_transport({.url = "http://127.0.0.1:" + std::to_string(port)});
  const Error error = error_of(*transport, {.path = "/"});
  CHECK(error.code == ErrorCode::unreachable);
  CHECK(error.reason == kNoConnection);
  CHECK(error.message.find("127.0.0.1:" + std::to_string(port)) != std::string::npos);
}

TEST_CASE(
    "transport: without a connection, the caller may start the server, and the request is sent once more") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::no, "server", ScriptedServer::Begin::later);
  int asked = 0;
  auto in_vain = make_curl_transport({.url = server.url(), .on_no_connection = [&] { ++asked; }});
  CHECK(error_of(*in_vain, {.path = "/"}).reason == kNoConnection);
  CHECK(asked == 1);
  auto transport = make_curl_transport({.url = server.url(), .on_no_connection = [&] { server.begin(); }});
  CHECK(transport->send({.path = "/"}).status == 200);
}

TEST_CASE("transport: a server that sends nothing is unreachable after the timeout") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.wait_for_close(); });
  auto transport = make_curl_transport({.url = server.url()});
  CHECK(error_of(*transport, {.path = "/", .timeout = milliseconds(50)}).code == ErrorCode::unreachable);
}

TEST_CASE("transport: a truncated answer is an error that says that the connection broke") {
  ScriptedServer server([](const ReceivedRequest&, ServerConnection& connection) {
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    connection.close();
  });
  auto transport = make_curl_transport({.url = server.url()});
  CHECK(error_of(*transport, {.path = "/"}).reason == kConnectionBroke);
}

}  // namespace curl_transport_test
