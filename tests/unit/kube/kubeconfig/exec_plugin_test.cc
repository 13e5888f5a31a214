#include "kube/kubeconfig/exec_plugin.h"

#include <doctest/doctest.h>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace exec_plugin_test {

using namespace kml;
using namespace kml::kube;

namespace {

const std::string kV1 = "client.authentication.k8s.io/v1";
const std::string kToken = R"({"token": "s3cret"})";

std::string credential(const std::string& status, const std::string& version = kV1) {
  return R"({"kind": "ExecCredential", "apiVersion": ")" + version + R"(", "status": )" + status + "}";
}

/// A plugin that is a shell script. It records each of its runs and its input.
struct Fixture {
  TemporaryFolder folder;
  EnvironmentVariable home{"HOME", folder.path().c_str()};
  EnvironmentVariable kuberc{"KUBERC", nullptr};
  std::filesystem::path program = folder.path() / "plugin";
  ExecSettings settings;
  ExecPlugin::Surroundings surroundings;
  Time now = *parse_rfc3339("2026-01-01T00:00:00Z");

  Fixture() {
    settings = {.argv = {program, "get-token"}, .api_version = kV1, .interactive = Interactive::never};
    surroundings.now = [this] { return now; };
    surroundings.has_terminal = [] { return false; };
  }
  void script(const std::string& body) {
    write_file_atomically(program,
                          "#!/bin/sh\necho run >> " + (folder.path() / "runs").string() +
                              "\nprintf %s \"$KUBERNETES_EXEC_INFO\" > " + (folder.path() / "info").string() +
                              "\n" + body + "\n",
                          0700);
  }
  void prints(const std::string& output) { script("cat <<'end'\n" + output + "\nend"); }
  ExecPlugin plugin() { return ExecPlugin(settings, surroundings); }
  size_t runs() { return read_file_if_exists(folder.path() / "runs").value_or("").size() / 4; }
  Json info() { return Json::parse(read_file(folder.path() / "info")); }
  Error error() {
    ExecPlugin tried = plugin();
    try {
      tried.credential();
    } catch (const Error& found) {
      CHECK(describe(found).find("s3cret") == std::string::npos);
      CHECK_FALSE(found.fix.empty());
      return found;
    }
    FAIL("it gave a credential");
    return {ErrorCode::failure, ""};
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "exec_plugin: provides the token, and is run once for many requests") {
  prints(credential(kToken));
  ExecPlugin tried = plugin();
  CHECK(runs() == 0);
  for (int i = 0; i < 3; ++i) CHECK(tried.credential().token == "s3cret");
  CHECK(runs() == 1);
}

TEST_CASE_FIXTURE(Fixture, "exec_plugin: is run again when its credential has expired or was rejected") {
  prints(credential(R"({"token": "s3cret", "expirationTimestamp": "2026-01-01T00:10:00Z"})"));
  ExecPlugin tried = plugin();
  tried.credential();
  now += std::chrono::minutes(10);
  tried.credential();
  CHECK(runs() == 1);
  now += std::chrono::seconds(1);
  prints(credential(R"({"token": "next"})"));
  CHECK(tried.credential().token == "next");
  now += std::chrono::hours(1000);  // the credential has no expiry time
  tried.credential();
  CHECK(runs() == 2);
  tried.drop();
  tried.credential();
  CHECK(runs() == 3);
}

TEST_CASE_FIXTURE(Fixture, "exec_plugin: provides a client certificate with its key, even without a token") {
  prints(credential(R"({"clientCertificateData": "cert", "clientKeyData": "s3cret"})"));
  CHECK(plugin().credential().token.empty());
  CHECK(plugin().credential().certificate.certificate_pem == "cert");
  CHECK(plugin().credential().certificate.key_pem == "s3cret");
}

TEST_CASE_FIXTURE(Fixture,
                  "exec_plugin: receives the version, the cluster, and whether it may ask the user") {
  bool terminal = false, told = false;
  SUBCASE("never") {}
  SUBCASE("never, at a terminal") {
    terminal = true;
  }
  SUBCASE("if available") {
    settings.interactive = Interactive::if_available;
  }
  SUBCASE("if available, at a terminal") {
    settings.interactive = Interactive::if_available;
    terminal = told = true;
  }
  SUBCASE("always, at a terminal") {
    settings.interactive = Interactive::always;
    terminal = told = true;
  }
  surroundings.has_terminal = [&] { return terminal; };
  settings.api_version = "client.authentication.k8s.io/v1beta1";
  prints(credential(kToken, settings.api_version));
  plugin().credential();
  Json expected = {{"kind", "ExecCredential"},
                   {"apiVersion", "client.authentication.k8s.io/v1beta1"},
                   {"spec", {{"interactive", told}}}};
  CHECK(info() == expected);
  settings.cluster = {{"server", "https://x"}};
  plugin().credential();
  expected["spec"]["cluster"] = settings.cluster;
  CHECK(info() == expected);
}

TEST_CASE_FIXTURE(Fixture, "exec_plugin: receives its arguments, and its variables override kml's") {
  EnvironmentVariable own("KML_TEST_REGION", "own");
  settings.argv.push_back("two words");
  settings.environment = {"KML_TEST_REGION=set"};
  script("printf '{\"kind\": \"ExecCredential\", \"apiVersion\": \"" + kV1 +
         "\", \"status\": {\"token\": \"%s/%s/%s\"}}' \"$1\" \"$2\" \"$KML_TEST_REGION\"");
  CHECK(plugin().credential().token == "get-token/two words/set");
}

TEST_CASE_FIXTURE(Fixture, "exec_plugin: the error for an unusable answer does not show the credential") {
  std::string said;
  SUBCASE("a command that does not exist, with its hint") {
    settings.install_hint = "get it from example.test";
    said = "get it from example.test";
  }
  SUBCASE("a command without the right to run it") {
    write_file_atomically(program, "", 0600);
    said = "Permission denied";
  }
  SUBCASE("a failure") {
    script("echo s3cret; exit 7");
    said = "exited with code 7";
  }
  SUBCASE("the plugin never ends") {
    script("exec sleep 100");
    surroundings.time_limit = std::chrono::milliseconds(200);
    said = "did not finish within 1s";
  }
  SUBCASE("nothing printed") {
    script("");
    said = "not an ExecCredential";
  }
  SUBCASE("not JSON") {
    prints("s3cret");
    said = "not an ExecCredential";
  }
  SUBCASE("cut short") {
    prints(credential(kToken).substr(0, 100));
    said = "not an ExecCredential";
  }
  SUBCASE("another version") {
    prints(credential(kToken, "client.authentication.k8s.io/v1beta1"));
    said = "it speaks client.authentication.k8s.io/v1beta1";
  }
  SUBCASE("no version") {
    prints(R"({"kind": "ExecCredential", "status": {"token": "s3cret"}})");
    said = "it speaks no version";
  }
  SUBCASE("no status") {
    prints(R"({"kind": "ExecCredential", "apiVersion": ")" + kV1 + "\"}");
    said = "neither a token nor a client certificate";
  }
  SUBCASE("an empty status") {
    prints(credential("{}"));
    said = "neither a token nor a client certificate";
  }
  SUBCASE("a certificate without its key") {
    prints(credential(R"({"clientCertificateData": "c", "token": "s3cret"})"));
    said = "only one of a client certificate";
  }
  SUBCASE("a time that is invalid") {
    prints(credential(R"({"token": "s3cret", "expirationTimestamp": "soon"})"));
    said = "expirationTimestamp";
  }
  SUBCASE("a token that is not text") {
    prints(credential(R"({"token": 12345})"));
    said = "status.token: this must be a string: put it in quotes";
  }
  SUBCASE("a key that is not text") {
    prints(credential(R"({"token": "t", "clientKeyData": ["s3cret"]})"));
    said = "status.clientKeyData: this must be a string, not a list";
  }
  SUBCASE("a time that is not text") {
    prints(credential(R"({"token": "t", "expirationTimestamp": 1700000000})"));
    said = "status.expirationTimestamp: this must be a string";
  }
  SUBCASE("a status that is not an object") {
    prints(credential(R"(["s3cret"])"));
    said = "status: this must be a mapping, not a list";
  }
  SUBCASE("a message before the credential") {
    prints("Refreshing the session ...\n" + credential(kToken));
    said = "in addition to the credential, it printed \"Refreshing the session ...\"";
  }
  SUBCASE("a message with a brace before the credential") {
    prints("Refreshing {dev} ...\n{}\n" + credential(kToken));
    said = "in addition to the credential, it printed \"Refreshing {dev} ...\n{}\"";
  }
  SUBCASE("two credentials") {
    prints(credential(kToken) + "\n" + credential(kToken));
    said = "not an ExecCredential";
  }
  SUBCASE("messages around the credential") {
    prints("One moment\n" + credential(kToken) + "\nDone.");
    said = "in addition to the credential, it printed \"One moment Done.\"";
  }
  SUBCASE("a question without a terminal") {
    prints(credential(kToken));
    settings.interactive = Interactive::always;
    said = "standard input is not a terminal";
  }
  const Error found = error();
  CHECK(found.code == ErrorCode::auth);
  CHECK_MESSAGE(describe(found).find(said) != std::string::npos, describe(found));
}

TEST_CASE_FIXTURE(
    Fixture,
    "exec_plugin: a credential that cannot be renewed is not used any more, and is requested again") {
  prints(credential(kToken));
  ExecPlugin tried = plugin();
  tried.credential();
  tried.drop();
  script("exit 1");
  CHECK_THROWS_AS(tried.credential(), Error);
  prints(credential(R"({"token": "next"})"));
  CHECK(tried.credential().token == "next");
}

TEST_CASE_FIXTURE(Fixture, "exec_plugin: Ctrl-C in the plugin ends kml like Ctrl-C in kml") {
  script("kill -INT $$");
  ExecPlugin tried = plugin();
  try {
    tried.credential();
    FAIL("it gave a credential");
  } catch (const Error& found) {
    CHECK(found.code == ErrorCode::interrupted);
  }
}

TEST_CASE_FIXTURE(Fixture, "exec_plugin: only plugins that kubectl's preferences allow are run") {
  prints(credential(kToken));
  const std::string path = program.string();
  EnvironmentVariable search("PATH", (folder.path().string() + ":/usr/bin:/bin").c_str());
  std::string preferences, said;
  SUBCASE("no policy") {
    preferences = "";
  }
  SUBCASE("allow all") {
    preferences = "credentialPluginPolicy: AllowAll";
  }
  SUBCASE("allow none") {
    preferences = "credentialPluginPolicy: DenyAll";
    said = "DenyAll";
  }
  SUBCASE("by path") {
    preferences = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: x}, {command: '" +
                  path + "'}]";
  }
  SUBCASE("by name, which means the program in PATH") {
    preferences = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{name: plugin}]";
  }
  SUBCASE("another program") {
    preferences = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: sh}]";
    said = "not on the credentialPluginAllowlist";
  }
  SUBCASE("an empty list") {
    preferences = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []";
    said = "not on the credentialPluginAllowlist";
  }
  SUBCASE("a list without the policy that uses it") {
    preferences = "credentialPluginAllowlist: [{command: plugin}]";
    said = "is not Allowlist";
  }
  SUBCASE("a policy of another version") {
    preferences = "credentialPluginPolicy: AskMe";
    said = "AskMe";
  }
  SUBCASE("a policy of another type") {
    preferences = "credentialPluginPolicy: [DenyAll]";
    said = "credentialPluginPolicy: this must be a string, not a list";
  }
  SUBCASE("a list of another type") {
    preferences = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: plugin";
    said = "credentialPluginAllowlist: this must be a list, not a string";
  }
  SUBCASE("a file that cannot be read is an error") {
    preferences = "a: [";
    said = "kuberc";
  }
  make_private_folder(folder.path() / ".kube");
  write_file_atomically(folder.path() / ".kube/kuberc",
                        "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n" + preferences + "\n");
  if (said.empty()) {
    CHECK(plugin().credential().token == "s3cret");
    return;
  }
  const Error found = error();
  CHECK(runs() == 0);
  CHECK(found.code == ErrorCode::usage);
  CHECK_MESSAGE(describe(found).find(said) != std::string::npos, describe(found));
  EnvironmentVariable off("KUBERC", "off");
  CHECK(plugin().credential().token == "s3cret");
}

TEST_CASE_FIXTURE(Fixture, "exec plugin: a plugin that never stops printing is killed") {
  script("exec yes");
  CHECK(error().why == "it printed more than 1 MiB");
}

}  // namespace exec_plugin_test
