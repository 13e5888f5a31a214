#include "net/http/failure.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "kml/base/clock.h"
#include "kml/net/http/advice.h"
#include "net/http/certificate_dates.h"
#include "support/environment.h"
#include "support/scripted_server.h"
#include "support/test_certificates.h"

namespace failure_test {

using namespace kml;
using namespace kml::http;

namespace {

/// The error of a request; empty if it got a response.
std::optional<Error> error_of(const Endpoint& endpoint) {
  try {
    make_curl_transport(endpoint)->send({.path = "/", .timeout = std::chrono::milliseconds(20'000)});
    return {};
  } catch (const Error& error) {
    return error;
  }
}

Endpoint endpoint_with(const std::string& url, const std::string& client) {
  const TestCertificates& certificates = TestCertificates::get();
  Endpoint endpoint{.url = url, .ca_pem = certificates.pem("ca")};
  if (client.empty()) return endpoint;
  endpoint.client_cert_pem = certificates.pem(client);
  endpoint.client_key_pem = certificates.key(client);
  return endpoint;
}

}  // namespace

TEST_CASE("certificate dates: are read from OpenSSL's certificates, and a damaged one does no harm") {
  using std::chrono::hours;
  const std::string pem = TestCertificates::get().pem("server");
  const Time now = system_clock().now();
  CHECK(certificate_fault(pem, now).empty());
  CHECK(certificate_fault(pem, now + hours(72)).starts_with("expired on 20"));
  CHECK(certificate_fault(pem, now - hours(24)).starts_with("is not valid before 20"));
  CHECK(certificate_fault(TestCertificates::get().pem("expired"), now).starts_with("expired on 20"));
  const auto dates = certificate_dates(pem);
  REQUIRE(dates);
  CHECK(dates->until - dates->from == hours(48));
  for (size_t size = 0; size < pem.size(); ++size) {
    const auto of_part = certificate_dates(std::string_view(pem).substr(0, size));
    if (of_part) CHECK(of_part->until == dates->until);
  }
  for (size_t at = 0; at < pem.size(); ++at) {
    std::string changed = pem;
    changed[at] = 'A';
    // with sanitizers, this finds reads beyond the certificate
    static_cast<void>(certificate_dates(changed));
  }
}

TEST_CASE("failure: when the server answers 401, an expired client certificate is named with its date") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(401, "no"); },
      ScriptedServer::Tls::yes);
  CHECK(!error_of(endpoint_with(server.url(), "ana")));
  CHECK(!error_of(endpoint_with(server.url(), "")));
  Endpoint by_plugin = endpoint_with(server.url(), "");
  by_plugin.client_certificate = [] {
    return ClientCertificate{TestCertificates::get().pem("expired"), TestCertificates::get().key("expired")};
  };
  for (const Endpoint& endpoint : {endpoint_with(server.url(), "expired"), by_plugin}) {
    const auto error = error_of(endpoint);
    REQUIRE(error);
    CHECK(error->code == ErrorCode::auth);
    CHECK_MESSAGE(error->why.starts_with("the client certificate expired on 20"), describe(*error));
    CHECK(error->fix.find("renew client-certificate") != std::string::npos);
  }
}

TEST_CASE("failure: if a server rejects the handshake, an expired client certificate explains it") {
  const std::string expired = TestCertificates::get().pem("expired"),
                    valid = TestCertificates::get().pem("ana");
  const Route route = make_route({.url = "https://kubernetes.test"});
  struct Row {
    CURLcode code;
    const char* text;
    bool is_refusal;
  };
  const Row rows[] = {
      {CURLE_SSL_CONNECT_ERROR, "tlsv1 alert certificate expired", true},
      {CURLE_RECV_ERROR, "OpenSSL SSL_read: sslv3 alert certificate expired, errno 0", true},
      {CURLE_RECV_ERROR, "Connection reset by peer", false},
      {CURLE_COULDNT_CONNECT, "Connection refused", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string none;
    const Failure failure{
        .code = row.code, .text = row.text, .client_certificate = expired, .authorities = none};
    CHECK((error_of(failure, route).code == ErrorCode::auth) == row.is_refusal);
    const Failure other{.code = row.code, .text = row.text, .client_certificate = valid, .authorities = none};
    CHECK(error_of(other, route).code == ErrorCode::unreachable);
  }
}

TEST_CASE("failure: an expired server certificate is named with its date, and its server gets no request") {
  ScriptedServer server(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(200, ""); },
      ScriptedServer::Tls::yes, "expired");
  const auto error = error_of(endpoint_with(server.url(), ""));
  REQUIRE(error);
  CHECK_MESSAGE(error->why.starts_with("the server's certificate expired on 20"), describe(*error));
  CHECK(server.requests().empty());
}

TEST_CASE("failure: the advice about servers outside clusters names a kubeconfig only for its proxy-url") {
  const Advice advice{.certificate = "set CERTIFICATE", .other = "check the server"};
  ScriptedServer untrusted([](const ReceivedRequest&, ServerConnection&) {}, ScriptedServer::Tls::yes,
                           "expired");
  ScriptedServer closed([](const ReceivedRequest&, ServerConnection&) {}, ScriptedServer::Tls::no, "server",
                        ScriptedServer::Begin::later);
  const auto fix_of = [&](const Endpoint& endpoint) { return with_advice(*error_of(endpoint), advice).fix; };
  CHECK(fix_of(endpoint_with(untrusted.url(), "")) == advice.certificate);
  CHECK(fix_of(endpoint_with(closed.url(), "")) == advice.other);
  Endpoint behind = endpoint_with("https://mlflow.test", "");
  behind.proxy_url = closed.url();
  CHECK(fix_of(behind).find("proxy-url") != std::string::npos);
}

TEST_CASE(
    "failure: a proxy that does not answer, or rejects the request, is named without its user and password") {
  ScriptedServer closed([](const ReceivedRequest&, ServerConnection&) {}, ScriptedServer::Tls::no, "server",
                        ScriptedServer::Begin::later);
  ScriptedServer asks(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(407, ""); });
  ScriptedServer forbids(
      [](const ReceivedRequest&, ServerConnection& connection) { connection.answer(403, ""); });
  ScriptedServer hangs_up([](const ReceivedRequest&, ServerConnection& connection) { connection.reset(); });
  struct Row {
    const ScriptedServer& proxy;
    std::string says, fix;
  };
  const Row rows[] = {
      {closed, " does not answer", "check that the proxy is running"},
      {asks, " rejects the connection to https://kubernetes.test:443", "user and password in "},
      {forbids, " rejects the connection to https://kubernetes.test:443", "let the proxy allow"},
      {hangs_up, " made no connection to https://kubernetes.test:443", ""},
  };
  for (const Row& row : rows) {
    const std::string address = "127.0.0.1:" + std::to_string(row.proxy.port());
    const std::string url = "http://ana:s3cret@" + address;
    for (const bool is_by_environment : {false, true}) {
      const EnvironmentVariable variable("HTTPS_PROXY", is_by_environment ? url.c_str() : nullptr),
          lower("https_proxy", nullptr), exempt("NO_PROXY", nullptr), lower_exempt("no_proxy", nullptr);
      Endpoint endpoint = endpoint_with("https://kubernetes.test", "");
      if (!is_by_environment) endpoint.proxy_url = url;
      const auto error = error_of(endpoint);
      REQUIRE(error);
      const std::string text = describe(*error);
      CHECK_MESSAGE(text.find("the proxy http://" + address) != std::string::npos, text);
      CHECK_MESSAGE(text.find(row.says) != std::string::npos, text);
      CHECK_MESSAGE(text.find(row.fix) != std::string::npos, text);
      CHECK_MESSAGE(text.find(is_by_environment ? "HTTPS_PROXY" : "proxy-url") != std::string::npos, text);
      CHECK_MESSAGE(text.find("s3cret") == std::string::npos, text);
      CHECK_MESSAGE((is_by_environment || text.find("NO_PROXY") == std::string::npos), text);
    }
  }
}

}  // namespace failure_test
