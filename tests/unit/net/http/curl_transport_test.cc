#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "kml/base/archive.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/net/http/transport.h"
#include "support/environment.h"
#include "support/eventually.h"
#include "support/scripted_server.h"
#include "support/test_certificates.h"

namespace curl_transport_test {

using namespace kml;
using namespace kml::http;
using std::chrono::milliseconds;

namespace {

Endpoint endpoint_of(const ScriptedServer& server) {
  Endpoint endpoint;
  endpoint.url = server.url();
  endpoint.ca_pem = TestCertificates::get().pem("ca");
  return endpoint;
}

Error error_of(Transport& transport, const Request& request) {
  try {
    transport.send(request);
  } catch (const Error& error) {
    return error;
  }
  FAIL("the request succeeded");
  return {ErrorCode::failure, ""};
}

/// Waits until `done`, at most five minutes.
template <typename Done>
void wait_until(Transport& transport, Done done) {
  const auto deadline = transport.now() + std::chrono::minutes(5);
  while (!done()) {
    REQUIRE(transport.now() < deadline);
    transport.wait(milliseconds(100));
  }
}

const auto kEcho = [](const ReceivedRequest& request, ServerConnection& connection) {
  connection.answer(200, request.method + " " + request.target + " " + request.body);
};

}  // namespace

TEST_CASE("transport: sends method, path, headers and body, and gives back the whole answer") {
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

TEST_CASE("transport: the method is sent as given") {
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

TEST_CASE("transport: a connection of a stream's own ends with it") {
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

TEST_CASE("transport: a redirect is an answer and not followed") {
  ScriptedServer server([](const ReceivedRequest&, ServerConnection& connection) {
    connection.answer(302, "", "Location: /elsewhere\r\n");
  });
  auto transport = make_curl_transport({.url = server.url()});
  CHECK(transport->send({.path = "/"}).status == 302);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("transport: authorities that were renewed count from the next request on, kept connection or not") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  std::string trusted = "ca";
  endpoint.authorities = [&] { return TestCertificates::get().pem(trusted); };
  auto transport = make_curl_transport(endpoint);
  CHECK(transport->send({.path = "/"}).status == 200);
  trusted = "stranger";
  CHECK(error_of(*transport, {.path = "/"}).code == ErrorCode::unreachable);
  trusted = "ca";
  CHECK(transport->send({.path = "/"}).status == 200);
}

TEST_CASE("transport: a server whose certificate is not trusted gets no request") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes), expired(kEcho, ScriptedServer::Tls::yes, "expired");
  Endpoint endpoint = endpoint_of(server);
  endpoint.authorization = [] { return "Bearer s3cret"; };
  std::string fix = "correct certificate-authority";
  SUBCASE("signed by another authority") {
    endpoint.ca_pem = TestCertificates::get().pem("stranger");
  }
  SUBCASE("not signed by an authority of this system") {
    endpoint.ca_pem.clear();
  }
  SUBCASE("made out to another name") {
    endpoint.tls_server_name = "other.test";
    fix = "set tls-server-name";
  }
  SUBCASE("under a name that the certificate does not hold") {
    endpoint.url = "https://localhost:" + std::to_string(server.port());
    fix = "set tls-server-name";
  }
  SUBCASE("expired") {
    endpoint.url = expired.url();
    fix = "renew the server's certificate";
  }
  auto transport = make_curl_transport(endpoint);
  const Error error = error_of(*transport, {.path = "/"});
  CHECK(error.code == ErrorCode::unreachable);
  CHECK_MESSAGE(error.fix.find(fix) != std::string::npos, describe(error));
  CHECK(describe(error).find("s3cret") == std::string::npos);
  CHECK(server.requests().empty());
  CHECK(expired.requests().empty());
}

TEST_CASE("transport: a certificate that is not to be checked may be anyone's") {
  for (const char* name : {"server", "expired", "nameless"}) {
    ScriptedServer server(kEcho, ScriptedServer::Tls::yes, name);
    Endpoint endpoint = endpoint_of(server);
    endpoint.ca_pem.clear();
    endpoint.is_unverified = true;
    CHECK(make_curl_transport(endpoint)->send({.path = "/"}).status == 200);
  }
}

TEST_CASE("transport: a server whose certificate has a common name alone gets no request") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes, "nameless");
  Endpoint endpoint = endpoint_of(server);
  endpoint.authorization = [] { return "Bearer s3cret"; };
  auto transport = make_curl_transport(endpoint);
  const Error error = error_of(*transport, {.path = "/"});
  CHECK(error.code == ErrorCode::unreachable);
  CHECK_MESSAGE(contains(error.why, "subject alternative name"), describe(error));
  CHECK(server.requests().empty());
}

TEST_CASE("transport: SSL_CERT_FILE is trusted where the kubeconfig names no authority, and there alone") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  const EnvironmentVariable trusted("SSL_CERT_FILE", TestCertificates::get().pem_path("ca").c_str());
  Endpoint endpoint = endpoint_of(server);
  endpoint.ca_pem.clear();
  CHECK(make_curl_transport(endpoint)->send({.path = "/"}).status == 200);
  endpoint.ca_pem = TestCertificates::get().pem("stranger");
  CHECK(error_of(*make_curl_transport(endpoint), {.path = "/"}).code == ErrorCode::unreachable);
}

TEST_CASE("transport: tls_server_name is checked instead of the host, and Host still names the host") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  endpoint.url = "https://localhost:" + std::to_string(server.port());
  endpoint.tls_server_name = "kubernetes.test";
  CHECK(make_curl_transport(endpoint)->send({.path = "/"}).status == 200);
  CHECK(server.requests().at(0).headers.at("host") == "localhost:" + std::to_string(server.port()));
}

TEST_CASE("transport: shows a client certificate from memory") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  endpoint.client_cert_pem = TestCertificates::get().pem("ana");
  endpoint.client_key_pem = TestCertificates::get().key("ana");
  make_curl_transport(endpoint)->send({.path = "/"});
  CHECK(server.requests().at(0).client == "CN=ana");
}

TEST_CASE("transport: a client certificate that was renewed is shown on a new connection") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  std::string name = "ana";
  endpoint.client_certificate = [&name]() -> ClientCertificate {
    return {TestCertificates::get().pem(name), TestCertificates::get().key(name)};
  };
  auto transport = make_curl_transport(endpoint);
  for (const char* next : {"ana", "ana", "bob"}) {
    name = next;
    transport->send({.path = "/"});
    CHECK(server.requests().back().client == "CN=" + name);
  }
  CHECK(server.requests().at(1).connection == 1);
  CHECK(server.requests().at(2).connection == 2);
}

TEST_CASE("transport: a client key that cannot be used is an error that does not show it") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  endpoint.client_cert_pem = TestCertificates::get().pem("ana");
  endpoint.client_key_pem = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
  const Error error = error_of(*make_curl_transport(endpoint), {.path = "/"});
  CHECK(error.fix.find("client-key") != std::string::npos);
  CHECK(describe(error).find("c2VjcmV0") == std::string::npos);
}

TEST_CASE("transport: asks for the credential before each request, and tells of a 401") {
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

TEST_CASE("transport: the handshakes of an upgrade run beside a request") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(200, ""); },
      ScriptedServer::Tls::yes);
  auto transport = make_curl_transport(endpoint_of(server));
  transport->connect_ahead();
  transport->send({.path = "/"});
  for (const int known : {1, 3}) {  // the second one has none that was begun ahead
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

TEST_CASE("transport: never sends a credential over plain http") {
  ScriptedServer server(kEcho);
  Endpoint endpoint{.url = server.url()};
  endpoint.authorization = [] { return "Bearer s3cret"; };
  make_curl_transport(endpoint)->send({.path = "/"});
  CHECK_FALSE(server.requests().at(0).headers.contains("authorization"));
}

TEST_CASE("transport: a proxy sees neither the credential nor its own password in an error") {
  ScriptedServer proxy(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(403, "no"); });
  Endpoint endpoint{.url = "https://api.test:6443"};
  endpoint.proxy_url = "http://ana:pr0xy@127.0.0.1:" + std::to_string(proxy.port());
  endpoint.authorization = [] { return "Bearer s3cret"; };
  const Error error = error_of(*make_curl_transport(endpoint), {.path = "/"});
  CHECK(error.code == ErrorCode::unreachable);
  CHECK(describe(error).find("pr0xy") == std::string::npos);
  const ReceivedRequest connect = proxy.requests().at(0);
  CHECK(connect.method == "CONNECT");
  CHECK(connect.target == "api.test:6443");
  CHECK_FALSE(connect.headers.contains("authorization"));
}

TEST_CASE("transport: through a proxy the server is checked as ever") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  ScriptedServer proxy([&](const ReceivedRequest& request, ServerConnection& connection) {
    CHECK(request.method == "CONNECT");
    connection.tunnel_to(server.port());
  });
  const std::string proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port());
  Endpoint endpoint = endpoint_of(server);
  endpoint.url = "https://kubernetes.test:6443";
  EnvironmentVariable none("NO_PROXY", nullptr), lower_none("no_proxy", nullptr);
  SUBCASE("the kubeconfig's") {
    endpoint.proxy_url = proxy_url;
    CHECK(make_curl_transport(endpoint)->send({.path = "/x"}).body == "GET /x ");
  }
  SUBCASE("the environment's") {
    EnvironmentVariable set("HTTPS_PROXY", proxy_url.c_str());
    CHECK(make_curl_transport(endpoint)->send({.path = "/x"}).body == "GET /x ");
  }
  SUBCASE("under another name than the certificate's") {
    endpoint.proxy_url = proxy_url;
    endpoint.url = "https://other.test:6443";
    CHECK(error_of(*make_curl_transport(endpoint), {.path = "/"}).fix.find("tls-server-name") !=
          std::string::npos);
    endpoint.tls_server_name = "kubernetes.test";
    CHECK(make_curl_transport(endpoint)->send({.path = "/x"}).body == "GET /x ");
  }
  CHECK(proxy.requests().at(0).target.ends_with(".test:6443"));
}

TEST_CASE("transport: the environment's proxy is not asked for this machine") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  EnvironmentVariable proxy("HTTPS_PROXY", "http://127.0.0.1:1");
  EnvironmentVariable none("NO_PROXY", nullptr);
  CHECK(make_curl_transport(endpoint_of(server))->send({.path = "/"}).status == 200);
}

TEST_CASE("transport: an answer that unpacks to far more than came is refused") {
  std::string packed, refusal;
  size_t size = 0;
  SUBCASE("made to fill the memory") {
    packed = gzipped(std::string(size_t{40} << 20, '0'));
    refusal = "cannot accept the response of http://far.test:80";
  }
  SUBCASE("so in two layers") {
    packed = gzipped(gzipped(std::string(size_t{100} << 20, '0')));
    refusal = "cannot accept the response of http://far.test:80";
  }
  SUBCASE("small") {
    packed = gzipped(std::string(size = size_t{12} << 20, '0'));
  }
  SUBCASE("many pods that are alike") {
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

TEST_CASE("transport: whole answers are asked for in gzip, streams and those of this machine as they are") {
  ScriptedServer proxy([](const ReceivedRequest& request, ServerConnection& connection) {
    if (!request.headers.contains("accept-encoding")) return connection.answer(200, "plain");
    CHECK(request.headers.at("accept-encoding") == "gzip");
    connection.answer(200, base64_decoded("H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA=").value(),
                      "Content-Encoding: gzip\r\n");
  });
  Endpoint endpoint{.url = "http://far.test"};
  endpoint.proxy_url = proxy.url();
  std::string expected = "hello\n";
  SUBCASE("from afar") {}
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

TEST_CASE("transport: tells each of the server's warnings once") {
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

TEST_CASE("transport: a credential with a line break is refused without showing it") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  endpoint.authorization = [] { return "Bearer s3cret\r\nX-Evil: 1"; };
  const Error error = error_of(*make_curl_transport(endpoint), {.path = "/"});
  CHECK(describe(error).find("s3cret") == std::string::npos);
  CHECK(server.requests().empty());
}

TEST_CASE("transport: a URL that cannot be right is a usage error without its password") {
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
  SUBCASE("a port that is none") {
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

TEST_CASE("transport: a server that is not there is unreachable") {
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
    "transport: where there is no connection its owner may bring the server up, and it tries once more") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::no, "server", ScriptedServer::Begin::later);
  int asked = 0;
  auto in_vain = make_curl_transport({.url = server.url(), .on_no_connection = [&] { ++asked; }});
  CHECK(error_of(*in_vain, {.path = "/"}).reason == kNoConnection);
  CHECK(asked == 1);
  auto transport = make_curl_transport({.url = server.url(), .on_no_connection = [&] { server.begin(); }});
  CHECK(transport->send({.path = "/"}).status == 200);
}

TEST_CASE("transport: a server that says nothing is unreachable after the timeout") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.wait_for_close(); });
  auto transport = make_curl_transport({.url = server.url()});
  CHECK(error_of(*transport, {.path = "/", .timeout = milliseconds(50)}).code == ErrorCode::unreachable);
}

TEST_CASE("transport: an answer cut short is an error that says that the connection broke") {
  ScriptedServer server([](const ReceivedRequest&, ServerConnection& connection) {
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    connection.close();
  });
  auto transport = make_curl_transport({.url = server.url()});
  CHECK(error_of(*transport, {.path = "/"}).reason == kConnectionBroke);
}

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
    "transport: requests to a server without HTTP/2 are under way at once, none waits for another's answer") {
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

TEST_CASE("transport: a stream hands on pieces as they come, and then its end") {
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

TEST_CASE("transport: a stream's refusal comes whole with its end") {
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

TEST_CASE("transport: a stream whose headers do not come ends with a timeout") {
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

TEST_CASE("transport: a stream that is not read while another request is under way loses nothing") {
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
