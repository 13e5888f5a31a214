#include "kml/kube/kubeconfig/kubeconfig.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kube/kubeconfig/kubeconfig_fixture.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace kubeconfig_test {

TEST_CASE_FIXTURE(Fixture, "kubeconfig: without a kubeconfig, no target exists") {
  CHECK_FALSE(find_target({}));
  write(".kube/config", "apiVersion: v1\nkind: Config\nclusters: null\n");
  CHECK_FALSE(find_target({}));
}

TEST_CASE_FIXTURE(
    Fixture, "kubeconfig: ~/.kube/config is the default, KUBECONFIG overrides it, the flag overrides both") {
  write(".kube/config", kubeconfig("home"));
  CHECK(find_target({})->context == "home");
  EnvironmentVariable set("KUBECONFIG", write("env", kubeconfig("env")).c_str());
  CHECK(find_target({})->context == "env");
  CHECK(find_target({.kubeconfig = write("flag", kubeconfig("flag")), .context = {}, .namespace_name = {}})
            ->context == "flag");
}

TEST_CASE_FIXTURE(Fixture,
                  "kubeconfig: a file that is named and cannot be used is an error, and is not skipped") {
  KubeconfigOptions options;
  std::string value, said;
  SUBCASE("the flag names a file that does not exist") {
    options.kubeconfig = folder.path() / "missing";
  }
  SUBCASE("KUBECONFIG names only files that do not exist") {
    value = (folder.path() / "a").string() + ":" + (folder.path() / "b").string();
    said = "none of the files in KUBECONFIG exists";
  }
  SUBCASE("KUBECONFIG names a folder") {
    value = folder.path();
  }
  SUBCASE("KUBECONFIG names a file that is not YAML") {
    value = write("bad", "a: [\n");
  }
  SUBCASE("KUBECONFIG names a file that is not a mapping") {
    value = write("bad", "- a\n");
  }
  SUBCASE("KUBECONFIG names an empty file") {
    value = write("bad", "");
  }
  EnvironmentVariable set("KUBECONFIG", value.c_str());
  write(".kube/config", kubeconfig("home"));
  try {
    find_target(options);
    FAIL("it was taken");
  } catch (const Error& error) {
    if (!said.empty()) CHECK(holds(error, said));
    CHECK(error.code == ErrorCode::usage);
    CHECK_FALSE(error.fix.empty());
  }
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: an unknown context's error says what exists") {
  const std::string here = "--context local for this machine";
  std::string text, why, fix = here;
  SUBCASE("no kubeconfig") {
    why = "no kubeconfig was found: KUBECONFIG is not set, and ~/.kube/config does not exist";
  }
  SUBCASE("an empty one") {
    text = "apiVersion: v1\nkind: Config\n";
    why = "/.kube/config is empty";
  }
  SUBCASE("one without contexts") {
    text = "clusters: [{name: a, cluster: {server: 'https://a'}}]\n";
    why = "the kubeconfig has no contexts";
  }
  SUBCASE("one with contexts") {
    text = kubeconfig("home");
    why = "home";
    fix = "pass another --context; the kubeconfig has home";
  }
  if (!text.empty()) write(".kube/config", text);
  try {
    find_target({.kubeconfig = {}, .context = "prod", .namespace_name = {}});
    FAIL("a context was found");
  } catch (const Error& error) {
    CHECK(error.message == "no context \"prod\"");
    CHECK(holds(error, why));
    CHECK(holds(error, fix));
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "kubeconfig: missing files in a list are skipped, and repeated ones are read once") {
  const std::string a = write("a", kubeconfig("a"));
  EnvironmentVariable set("KUBECONFIG", ("/nowhere::" + a + ":" + a).c_str());
  CHECK(kubeconfig_files({}) == std::vector<std::filesystem::path>{a});
  CHECK(find_target({})->context == "a");
}

TEST_CASE_FIXTURE(
    Fixture,
    "kubeconfig: each entry comes whole from the first file that has it, and so does current-context") {
  const std::string a =
      write("a", "current-context: ''\nclusters:\n- {name: b, cluster: {server: 'https://first'}}\n");
  const std::string b = write("b", kubeconfig("b", ", tls-server-name: lost"));
  const std::string c = write("c", kubeconfig("c"));
  EnvironmentVariable set("KUBECONFIG", (a + ":" + b + ":" + c).c_str());
  const Target target = find_target({}).value();
  CHECK(target.context == "b");
  CHECK(target.endpoint.url == "https://first");
  CHECK(target.endpoint.tls_server_name.empty());
  CHECK(context_names({}) == std::vector<std::string>{"b", "c"});
}

TEST_CASE_FIXTURE(
    Fixture,
    "kubeconfig: the namespace comes from the flag, otherwise from the context, otherwise it is default") {
  std::string text = kubeconfig("a");
  CHECK(target(text).namespace_name == "default");
  text.replace(text.find("user: a}"), 8, "user: a, namespace: team}");
  CHECK(target(text).namespace_name == "team");
  CHECK(target(text, {.kubeconfig = {}, .context = {}, .namespace_name = "mine"}).namespace_name == "mine");
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: relative paths are relative to the file that has them") {
  write("deep/ca.pem", kPem);
  write("deep/token", "abc\n");
  EnvironmentVariable set(
      "KUBECONFIG",
      write("deep/config", kubeconfig("a", ", certificate-authority: ca.pem", "tokenFile: token")).c_str());
  const Target target = find_target({}).value();
  CHECK(target.endpoint.ca_pem == kPem);
  CHECK(target.endpoint.authorities() == kPem);
  CHECK(target.endpoint.authorization() == "Bearer abc");
}

TEST_CASE_FIXTURE(Fixture,
                  "kubeconfig: certificate files are read when they are used, as they may be renewed") {
  const std::string file = write("cert.pem", kPem);
  write("key.pem", kPem);
  const Target found = target(kubeconfig("a", "", "client-certificate: cert.pem, client-key: key.pem"));
  const std::string renewed = std::string(kPem) + "renewed";
  write("cert.pem", renewed);
  CHECK(found.endpoint.client_certificate().certificate_pem == renewed);
  CHECK(found.endpoint.client_certificate().key_pem == kPem);
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: proxy, server name and compression of a cluster are used") {
  const http::Endpoint endpoint =
      target(kubeconfig("a",
                        ", tls-server-name: api.test, proxy-url: 'socks5://p:1', disable-compression: true"))
          .endpoint;
  CHECK(endpoint.tls_server_name == "api.test");
  CHECK(endpoint.proxy_url == "socks5://p:1");
  CHECK(endpoint.disable_compression);
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: contradicting or unusable settings are an error") {
  const std::string data = base64_encoded(kPem);
  std::string text, said;
  SUBCASE("authority twice") {
    text = kubeconfig("a", ", certificate-authority: x, certificate-authority-data: " + data);
    said = "both set";
  }
  SUBCASE("client certificate twice") {
    text = kubeconfig("a", "", "client-certificate: x, client-certificate-data: " + data);
    said = "both set";
  }
  SUBCASE("certificate without key") {
    text = kubeconfig("a", "", "client-certificate-data: " + data);
    said = "only one of client-certificate and client-key";
  }
  SUBCASE("token and password") {
    text = kubeconfig("a", "", "token: s3cret, username: ana, password: s3cret2");
    said = "a token and a username";
  }
  SUBCASE("data that is not base64") {
    text = kubeconfig("a", ", certificate-authority-data: '*s3cret*'");
    said = "not PEM";
  }
  SUBCASE("a file that does not exist") {
    text = kubeconfig("a", ", certificate-authority: /nowhere/ca.pem");
    said = "/nowhere/ca.pem";
  }
  SUBCASE("exec without a command") {
    text = kubeconfig("a", "", "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}");
    said = "no command";
  }
  SUBCASE("exec without a version") {
    text = kubeconfig("a", "", "exec: {command: c, interactiveMode: Never}");
    said = "no apiVersion";
  }
  SUBCASE("exec with a version that no longer exists") {
    text = kubeconfig("a", "", "exec: {command: c, apiVersion: client.authentication.k8s.io/v1alpha1}");
    said = "v1alpha1, which Kubernetes no longer supports";
  }
  SUBCASE("exec v1 without interactiveMode") {
    text = kubeconfig("a", "", "exec: {command: c, apiVersion: client.authentication.k8s.io/v1}");
    said = "no interactiveMode";
  }
  SUBCASE("exec with an invalid interactiveMode") {
    text = kubeconfig("a", "",
                      "exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1, "
                      "interactiveMode: Sometimes}");
    said = "\"Sometimes\"";
  }
  SUBCASE("exec with a variable without a name") {
    text = kubeconfig(
        "a", "",
        "exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1, env: [{value: s3cret}]}");
    said = "no name";
  }
  SUBCASE("an auth provider") {
    text = kubeconfig("a", "", "auth-provider: {name: gcp}");
    said = "kml does not support the auth-provider \"gcp\"";
  }
  SUBCASE("groups without a user to impersonate") {
    text = kubeconfig("a", "", "as-groups: [g]");
    said = "without a user";
  }
  SUBCASE("certificates with and without verification") {
    text = kubeconfig("a", ", insecure-skip-tls-verify: true, certificate-authority-data: " + data);
    said = "both insecure-skip-tls-verify and a certificate authority";
  }
  SUBCASE("an auth provider and exec") {
    text = kubeconfig("a", "", "auth-provider: {name: oidc}, exec: {command: c}");
    said = "both an auth-provider and exec";
  }
  SUBCASE("an auth provider without a token") {
    text = kubeconfig("a", "", "auth-provider: {name: oidc, config: {refresh-token: s3cret}}");
    said = "no id-token";
  }
  SUBCASE("an auth provider whose token is not text") {
    text = kubeconfig("a", "", "auth-provider: {name: oidc, config: {id-token: s3cret.s3cret.s3cret}}");
    said = "cannot be read";
  }
  SUBCASE("no server") {
    text = kubeconfig("a");
    text.replace(text.find("server:"), 7, "sorver:");
    said = "no server";
  }
  CHECK_MESSAGE(holds(error(text), said), describe(error(text)));
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: a value of a wrong type is an error with its position") {
  const std::string cluster = "clusters[0].cluster", user = "users[0].user", exec = user + ".exec";
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"current-context", "a string"},
      {"clusters", "a list"},
      {"clusters[0]", "a mapping"},
      {"clusters[0].name", "a string"},
      {cluster, "a mapping"},
      {cluster + ".server", "a string"},
      {cluster + ".tls-server-name", "a string"},
      {cluster + ".insecure-skip-tls-verify", "true or false"},
      {cluster + ".certificate-authority", "a string"},
      {cluster + ".certificate-authority-data", "a string"},
      {cluster + ".proxy-url", "a string"},
      {cluster + ".disable-compression", "true or false"},
      {"contexts", "a list"},
      {"contexts[0].context", "a mapping"},
      {"contexts[0].context.cluster", "a string"},
      {"contexts[0].context.user", "a string"},
      {"contexts[0].context.namespace", "a string"},
      {"users", "a list"},
      {user, "a mapping"},
      {user + ".token", "a string"},
      {user + ".tokenFile", "a string"},
      {user + ".username", "a string"},
      {user + ".password", "a string"},
      {user + ".client-certificate", "a string"},
      {user + ".client-certificate-data", "a string"},
      {user + ".client-key", "a string"},
      {user + ".client-key-data", "a string"},
      {user + ".as", "a string"},
      {user + ".as-uid", "a string"},
      {user + ".as-groups", "a list"},
      {user + ".as-groups[0]", "a string"},
      {user + ".as-user-extra", "a mapping"},
      {user + ".as-user-extra[k]", "a list"},
      {user + ".as-user-extra[k][0]", "a string"},
      {user + ".auth-provider", "a mapping"},
      {user + ".auth-provider.name", "a string"},
      {user + ".auth-provider.config", "a mapping"},
      {user + ".auth-provider.config[id-token]", "a string"},
      {exec, "a mapping"},
      {exec + ".command", "a string"},
      {exec + ".args", "a list"},
      {exec + ".args[0]", "a string"},
      {exec + ".env", "a list"},
      {exec + ".env[0]", "a mapping"},
      {exec + ".env[0].name", "a string"},
      {exec + ".env[0].value", "a string"},
      {exec + ".apiVersion", "a string"},
      {exec + ".interactiveMode", "a string"},
      {exec + ".installHint", "a string"},
      {exec + ".provideClusterInfo", "true or false"},
  };
  const std::pair<const char*, const char*> values[] = {
      {"s3cret", "a string"},    {"[s3cret]", "a list"}, {"{s3cret: s3cret}", "a mapping"},
      {"true", "true or false"}, {"12345", "a number"},  {"1.5", "a number"},
      {"2026-01-01", "a string"}};
  for (const auto& [path, wanted] : fields)
    for (const auto& [value, type] : values) {
      if (type == wanted) continue;
      CAPTURE(path);
      CAPTURE(value);
      // Writes the path as nested flow mappings and lists with one member each.
      std::string text = value;
      for (const std::string& step : steps_back_of(path))
        text = (step == "[0]" ? "[" : "{" + step + ": ") + text + (step == "[0]" ? "]" : "}");
      const Error found = error("# a comment\n" + text);
      REQUIRE(found.problems.size() == 1);
      CHECK(found.problems[0].path == path);
      CHECK(holds(found, "this must be " + wanted));
      CHECK(holds(found, "config.yaml:2:"));
    }
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: a file of another kind or version is an error, as in kubectl") {
  CHECK(holds(error("apiVersion: v1\nkind: Secret\n"), "config.yaml:2:7 kind: this must be Config"));
  CHECK(holds(error("apiVersion: v2\nkind: Config\n"), "config.yaml:1:13 apiVersion: this must be v1"));
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: two entries with the same name are an error") {
  for (const char* list : {"clusters", "users", "contexts"}) {
    const Error found = error(std::string(list) + ": [{name: a}, {name: b}, {name: a}]\n");
    CHECK(holds(found, "config.yaml:1:"));
    CHECK(holds(found, std::string(list) + "[2].name: an earlier entry has this name"));
  }
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: UTF-16, as PowerShell writes it, is read") {
  for (const bool is_little : {true, false}) {
    std::string text = is_little ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : kubeconfig("a")) text += is_little ? std::string{c, '\0'} : std::string{'\0', c};
    CHECK(target(text).context == "a");
  }
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: insecure-skip-tls-verify is followed") {
  CHECK_FALSE(target(kubeconfig("a")).endpoint.is_unverified);
  CHECK(target(kubeconfig("a", ", insecure-skip-tls-verify: true")).endpoint.is_unverified);
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: an unknown context is an error with the nearest name") {
  CHECK(
      holds(error(kubeconfig("production"), {.kubeconfig = {}, .context = "prodution", .namespace_name = {}}),
            "did you mean \"production\"?"));
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: a context that refers to a missing entry is an error") {
  std::string text = kubeconfig("a");
  SUBCASE("cluster") {
    text.replace(text.find("cluster: a"), 10, "cluster: z");
  }
  SUBCASE("user") {
    text.replace(text.find("user: a"), 7, "user: z");
  }
  CHECK(holds(error(text), "\"z\""));
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: contexts without a current one require --context") {
  std::string text = kubeconfig("a");
  text.erase(0, text.find('\n') + 1);
  CHECK(holds(error(text), "--context"));
  CHECK(target(text, {.kubeconfig = {}, .context = "a", .namespace_name = {}}).context == "a");
}

TEST_CASE_FIXTURE(Fixture, "kubeconfig: a pod's own account is used without a kubeconfig") {
  EnvironmentVariable set_host("KUBERNETES_SERVICE_HOST", "fd00::1");
  EnvironmentVariable set_port("KUBERNETES_SERVICE_PORT", "443");
  KubeconfigOptions options;
  options.service_account_folder = folder.path() / "account";
  CHECK_FALSE(find_target(options));
  write("account/token", "abc");
  write("account/ca.crt", kPem);
  CHECK(find_target(options)->namespace_name == "default");
  write("account/namespace", "team");
  const Target target = find_target(options).value();
  CHECK(target.context == "in-cluster");
  CHECK(target.namespace_name == "team");
  CHECK(target.endpoint.url == "https://[fd00::1]:443");
  CHECK(target.endpoint.ca_pem == kPem);
  CHECK(target.endpoint.authorization() == "Bearer abc");
  EnvironmentVariable pod("POD_NAMESPACE", "other");
  CHECK(find_target(options)->namespace_name == "other");
  write(".kube/config", kubeconfig("home"));
  CHECK(find_target(options)->context == "home");
}

}  // namespace kubeconfig_test
