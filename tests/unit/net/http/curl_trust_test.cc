#include "kml/base/files.h"
#include "kml/base/text.h"
#include "net/http/curl_fixture.h"
#include "support/environment.h"
#include "support/eventually.h"

namespace curl_transport_test {

TEST_CASE("transport: renewed CA certificates are used from the next request, even on a kept connection") {
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
  SUBCASE("the certificate is not signed by a CA of this system") {
    endpoint.ca_pem.clear();
  }
  SUBCASE("issued for another name") {
    endpoint.tls_server_name = "other.test";
    fix = "set tls-server-name";
  }
  SUBCASE("under a name that the certificate does not have") {
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

TEST_CASE("transport: with insecure-skip-tls-verify, any certificate is accepted") {
  for (const char* name : {"server", "expired", "nameless"}) {
    ScriptedServer server(kEcho, ScriptedServer::Tls::yes, name);
    Endpoint endpoint = endpoint_of(server);
    endpoint.ca_pem.clear();
    endpoint.is_unverified = true;
    CHECK(make_curl_transport(endpoint)->send({.path = "/"}).status == 200);
  }
}

TEST_CASE("transport: a server whose certificate has only a common name gets no request") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes, "nameless");
  Endpoint endpoint = endpoint_of(server);
  endpoint.authorization = [] { return "Bearer s3cret"; };
  auto transport = make_curl_transport(endpoint);
  const Error error = error_of(*transport, {.path = "/"});
  CHECK(error.code == ErrorCode::unreachable);
  CHECK_MESSAGE(contains(error.why, "subject alternative name"), describe(error));
  CHECK(server.requests().empty());
}

TEST_CASE("transport: SSL_CERT_FILE is trusted only if the kubeconfig names no CA") {
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

TEST_CASE("transport: presents a client certificate from memory") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  endpoint.client_cert_pem = TestCertificates::get().pem("ana");
  endpoint.client_key_pem = TestCertificates::get().key("ana");
  make_curl_transport(endpoint)->send({.path = "/"});
  CHECK(server.requests().at(0).client == "CN=ana");
}

TEST_CASE("transport: a renewed client certificate is presented on a new connection") {
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

TEST_CASE("transport: never sends a credential over plain http") {
  ScriptedServer server(kEcho);
  Endpoint endpoint{.url = server.url()};
  endpoint.authorization = [] { return "Bearer s3cret"; };
  make_curl_transport(endpoint)->send({.path = "/"});
  CHECK_FALSE(server.requests().at(0).headers.contains("authorization"));
}

TEST_CASE(
    "transport: the proxy's password is not in a proxy's error, and the proxy does not get the credential") {
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

TEST_CASE("transport: the server's certificate is verified through a proxy, too") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  ScriptedServer proxy([&](const ReceivedRequest& request, ServerConnection& connection) {
    CHECK(request.method == "CONNECT");
    connection.tunnel_to(server.port());
  });
  const std::string proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port());
  Endpoint endpoint = endpoint_of(server);
  endpoint.url = "https://kubernetes.test:6443";
  EnvironmentVariable none("NO_PROXY", nullptr), lower_none("no_proxy", nullptr);
  SUBCASE("the kubeconfig's proxy") {
    endpoint.proxy_url = proxy_url;
    CHECK(make_curl_transport(endpoint)->send({.path = "/x"}).body == "GET /x ");
  }
  SUBCASE("the environment's proxy") {
    EnvironmentVariable set("HTTPS_PROXY", proxy_url.c_str());
    CHECK(make_curl_transport(endpoint)->send({.path = "/x"}).body == "GET /x ");
  }
  SUBCASE("under a name that is not the certificate's") {
    endpoint.proxy_url = proxy_url;
    endpoint.url = "https://other.test:6443";
    CHECK(error_of(*make_curl_transport(endpoint), {.path = "/"}).fix.find("tls-server-name") !=
          std::string::npos);
    endpoint.tls_server_name = "kubernetes.test";
    CHECK(make_curl_transport(endpoint)->send({.path = "/x"}).body == "GET /x ");
  }
  CHECK(proxy.requests().at(0).target.ends_with(".test:6443"));
}

TEST_CASE("transport: the environment's proxy is not used for this machine") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  EnvironmentVariable proxy("HTTPS_PROXY", "http://127.0.0.1:1");
  EnvironmentVariable none("NO_PROXY", nullptr);
  CHECK(make_curl_transport(endpoint_of(server))->send({.path = "/"}).status == 200);
}

TEST_CASE("transport: a credential with a line break is rejected without showing it") {
  ScriptedServer server(kEcho, ScriptedServer::Tls::yes);
  Endpoint endpoint = endpoint_of(server);
  endpoint.authorization = [] { return "Bearer s3cret\r\nX-Evil: 1"; };
  const Error error = error_of(*make_curl_transport(endpoint), {.path = "/"});
  CHECK(describe(error).find("s3cret") == std::string::npos);
  CHECK(server.requests().empty());
}

}  // namespace curl_transport_test
