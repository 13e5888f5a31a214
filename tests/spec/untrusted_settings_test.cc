#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "kml/spec/trust.h"
#include "support/settings.h"
#include "support/temporary_folder.h"

namespace untrusted_settings_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

struct Fixture {
  TemporaryFolder temporary;
  spec::Config config;

  void project(const std::string& text) {
    std::ofstream(temporary.path() / "kml.yaml") << text;
    config = spec::load_config(
        {temporary.path(), temporary.path() / "none/user.yaml", [](const char*) { return std::string(); }});
  }
  std::vector<std::string> refused(const std::vector<spec::Setting>& over = {}) const {
    std::vector<spec::Setting> settings = config.settings;
    settings.insert(settings.end(), over.begin(), over.end());
    Error error = usage_error("");
    error.problems = spec::untrusted_settings(*config.project, settings, {"job", "mine"});
    return problem_lines(error);
  }
};

}  // namespace

TEST_CASE("untrusted settings: all that needs trust is told at once, by key and place") {
  Fixture f;
  fs::create_directories(f.temporary.path() / "t");
  std::ofstream(f.temporary.path() / "t/job.yaml");
  std::ofstream(f.temporary.path() / "t/own.yaml");
  f.project(
      "context: prod\nsecrets: [TOKEN, A=@../key, B=-]\nenv-from: [s1]\npull-secrets: [s2]\nservice-account: "
      "root\nmounts: ['host/etc:/e', 'secret/s3:/s', 'pvc/data:/d']\ncode: /\ntemplate: own\ntemplates: [t, "
      "/]\n");
  CHECK(f.refused() ==
        std::vector<std::string>{
            "kml.yaml:1:10 context: selects the context prod",
            "kml.yaml:2:11 secrets: sends your environment variable TOKEN",
            "kml.yaml:2:18 secrets: sends the file ../key",
            "kml.yaml:2:29 secrets: sends your standard input as B",
            "kml.yaml:3:12 env-from: uses the secret s1",
            "kml.yaml:4:16 pull-secrets: uses the secret s2",
            "kml.yaml:5:18 service-account: uses the service account root",
            "kml.yaml:6:10 mounts: mounts a folder of the machine: host/etc:/e",
            "kml.yaml:6:25 mounts: mounts a secret: secret/s3:/s",
            "kml.yaml:7:7 code: sends a folder outside the folder of kml.yaml: /",
            "kml.yaml:8:11 template: uses a template that is neither built in nor your own: own",
            "kml.yaml:9:13 templates: replaces built-in templates or your own: job",
            "kml.yaml:9:16 templates: / is outside the folder of kml.yaml",
        });
  CHECK(f.refused(flags({{"context", "other"}, {"code", "."}, {"template", "x"}})).size() == 10);
}

TEST_CASE("untrusted settings: what describes the job alone needs no trust") {
  Fixture f;
  f.project("image: img:1\nenv: {A: b}\nmounts: ['pvc/data:/d']\ntemplate: mine\nnamespace: research\n");
  CHECK(f.refused().empty());
  CHECK(spec::project_keys(f.config.settings) ==
        std::vector<std::string>{"image", "env", "mounts", "template", "namespace"});
}

TEST_CASE("untrusted settings: a link inside the folder that leads out of it is outside") {
  Fixture f;
  fs::create_directory_symlink("/etc", f.temporary.path() / "link");
  f.project("code: " + (f.temporary.path() / "link").string() + "\n");
  CHECK(f.refused().size() == 1);
  f.project("code: " + f.temporary.path().string() + "\n");
  CHECK(f.refused().empty());
}

TEST_CASE("trust: ends with a change of the text, of the path, or by taking it back") {
  TemporaryFolder temporary;
  using State = spec::TrustRecords::State;
  spec::TrustRecords records(temporary.path() / "state/trusted");
  const fs::path file = temporary.path() / "kml.yaml";
  CHECK(records.state_of(file, "a") == State::unknown);
  records.trust(file, "a");
  CHECK(records.state_of(temporary.path() / "x/../kml.yaml", "a") == State::trusted);
  CHECK(records.state_of(file, "b") == State::changed);
  CHECK(records.state_of(temporary.path() / "other/kml.yaml", "a") == State::unknown);
  struct stat status {};
  REQUIRE(::stat((temporary.path() / "state/trusted").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  records.revoke(file);
  CHECK(records.state_of(file, "a") == State::unknown);
  CHECK_THROWS_AS(records.revoke(file), Error);
  CHECK_THROWS_AS(records.trust(temporary.path() / "a\nb/kml.yaml", "a"), Error);
}

}  // namespace untrusted_settings_test
