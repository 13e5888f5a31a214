#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kube/kubeconfig/kubeconfig_fixture.h"

namespace kubeconfig_test {

TEST_CASE_FIXTURE(Fixture, "kubeconfig: certificates and keys may be data in the file") {
  const std::string data = base64_encoded(kPem);
  const Target found = target(kubeconfig("a", ", certificate-authority-data: " + data,
                                         "client-certificate-data: " + data + ", client-key-data: " + data));
  CHECK(found.endpoint.ca_pem == kPem);
  CHECK(found.endpoint.client_cert_pem == kPem);
  CHECK(found.endpoint.client_key_pem == kPem);
  CHECK_FALSE(found.endpoint.authorization);
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: a username and password are basic authentication") {
  CHECK(target(kubeconfig("a", "", "username: ana, password: pw")).endpoint.authorization() ==
        "Basic YW5hOnB3");
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: impersonation becomes headers") {
  const Target found =
      target(kubeconfig("a", "", "as: bob, as-uid: u1, as-groups: [g1, g2], as-user-extra: {scopes: [s]}"));
  const http::Headers expected = {{"Impersonate-User", "bob"},
                                  {"Impersonate-Uid", "u1"},
                                  {"Impersonate-Group", "g1"},
                                  {"Impersonate-Group", "g2"},
                                  {"Impersonate-Extra-scopes", "s"}};
  CHECK(found.endpoint.headers == expected);
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: a tokenFile takes precedence over a token") {
  write("token", "fresh");
  CHECK(target(kubeconfig("a", "", "token: stale, tokenFile: token")).endpoint.authorization() ==
        "Bearer fresh");
}

namespace {

/// A plugin that prints its input as its token, so that a test can check it.
const std::string kPlugin = R"(#!/bin/sh
told=$(printf %s "$KUBERNETES_EXEC_INFO" | base64 -w0)
echo "{\"kind\": \"ExecCredential\", \"apiVersion\": \"$2\", \"status\": {\"token\": \"$1/$KML_TEST_VARIABLE/$told\"}}"
)";

const std::string kExec =
    "exec: {command: bin/plugin, args: [one, client.authentication.k8s.io/v1beta1], "
    "env: [{name: KML_TEST_VARIABLE, value: two}], apiVersion: client.authentication.k8s.io/v1beta1, "
    "provideClusterInfo: true}";

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "kubeconfig: a command provides the credentials, and receives the cluster if it asks") {
  write("deep/bin/plugin", kPlugin);
  std::filesystem::permissions(folder.path() / "deep/bin/plugin", std::filesystem::perms::owner_all);
  KubeconfigOptions options;
  options.kubeconfig = write(
      "deep/config",
      kubeconfig("a",
                 ", tls-server-name: api.test, proxy-url: 'http://p', certificate-authority-data: " +
                     base64_encoded(kPem) +
                     ", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
                 kExec));
  const std::string header = find_target(options)->endpoint.authorization();
  REQUIRE(header.starts_with("Bearer one/two/"));
  const Json told = Json::parse(base64_decoded(header.substr(15)).value());
  CHECK(told["spec"]["cluster"] == Json{{"server", "https://a"},
                                        {"tls-server-name", "api.test"},
                                        {"proxy-url", "http://p"},
                                        {"certificate-authority-data", base64_encoded(kPem)},
                                        {"config", {{"audience", "x"}}}});
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: credentials in the file take precedence over those of a command") {
  const std::string data = base64_encoded(kPem);
  CHECK(target(kubeconfig("a", "", "token: t, " + kExec)).endpoint.authorization() == "Bearer t");
  CHECK(target(kubeconfig("a", "", "username: ana, password: pw, " + kExec)).endpoint.authorization() ==
        "Basic YW5hOnB3");
  const Target certificate = target(
      kubeconfig("a", "", "client-certificate-data: " + data + ", client-key-data: " + data + ", " + kExec));
  CHECK_FALSE(certificate.endpoint.authorization);
  CHECK_FALSE(certificate.endpoint.client_certificate);
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: an OpenID Connect token is used until it expires") {
  const auto with_end = [&](const char* end) {
    const std::string claims = base64_encoded("{\"exp\": " + std::string(end) + ", \"sub\": \"?>\"}");
    std::string url = claims.substr(0, claims.find('='));
    std::replace(url.begin(), url.end(), '+', '-');
    std::replace(url.begin(), url.end(), '/', '_');
    const std::string token = "e30." + url + ".c2ln";
    return std::pair(token,
                     kubeconfig("a", "", "auth-provider: {name: oidc, config: {id-token: " + token + "}}"));
  };
  for (const char* end : {"4102444800", "253402300799", "1e30"}) {
    const auto [good, text] = with_end(end);
    CHECK(target(text).endpoint.authorization() == "Bearer " + good);
  }
  const Target ended = target(with_end("1700000000").second);
  try {
    ended.endpoint.authorization();
    FAIL("it was taken");
  } catch (const Error& found) {
    CHECK(found.code == ErrorCode::auth);
    CHECK(holds(found, "expired at 2023-11-14T22:13:20"));
  }
}

}  // namespace kubeconfig_test
