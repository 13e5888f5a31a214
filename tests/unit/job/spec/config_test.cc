#include "kml/job/spec/config.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "support/settings.h"
#include "support/temporary_folder.h"

namespace config_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

struct Fixture {
  TemporaryFolder temporary;
  std::map<std::string, std::string> variables;

  spec::ConfigSources sources() {
    return {temporary.path() / "project/deep", temporary.path() / "user.yaml",
            [this](const char* name) { return variables[name]; }};
  }
  spec::Config load() { return spec::load_config(sources()); }
  void user(const std::string& text) { std::ofstream(temporary.path() / "user.yaml") << text; }
  void project(const std::string& text) {
    fs::create_directories(temporary.path() / "project/deep");
    std::ofstream(temporary.path() / "project/kml.yaml") << text;
  }
};

}  // namespace

TEST_CASE("config: the order of precedence is flags, environment, the project's file, the user's file") {
  Fixture f;
  f.user("image: user:1\nnamespace: mine\nenv: {A: user, B: user}\n");
  f.project("image: project:1\nqueue: team\nenv: {A: project}\n");
  f.variables["KML_IMAGE"] = "environment:1";
  spec::Config config = f.load();
  CHECK(config.value("namespace") == "mine");
  CHECK(config.value("image") == "environment:1");
  CHECK(config.value("context", "none") == "none");

  std::vector<spec::Setting> settings = config.submit_settings();
  spec::SubmitSpec spec = spec::parse_settings(settings);
  CHECK(spec.image == "environment:1");
  CHECK(spec.queue == "team");
  CHECK(spec.env == std::map<std::string, std::string>{{"A", "project"}, {"B", "user"}});
  CHECK(spec.given.empty());

  settings.push_back(flags({{"image", "flag:1"}})[0]);
  spec = spec::parse_settings(settings);
  CHECK(spec.image == "flag:1");
  CHECK(spec.given == std::set<std::string>{"image"});
}

TEST_CASE("config: each value knows its source") {
  Fixture f;
  f.user("namespace: mine\n");
  f.project(
      "image: img:1\nmounts:\n- pvc/data:/data\nparameters: {steps: 5, names: [a, b]}\nlabels:\n  team: "
      "nlp\n");
  f.variables["KML_CONTEXT"] = "prod";
  std::vector<std::string> lines;
  for (const spec::Setting& setting : f.load().effective())
    lines.push_back(setting.name + " " + setting.value + " " + setting.origin.text());
  CHECK(lines == std::vector<std::string>{
                     "templates " + (f.temporary.path() / "templates").string() + " default",
                     "namespace mine " + (f.temporary.path() / "user.yaml").string() + ":1:12",
                     "image img:1 ../kml.yaml:1:8", "mount pvc/data:/data ../kml.yaml:3:3",
                     "param steps=5 ../kml.yaml:4:21", "param names=[\"a\",\"b\"] ../kml.yaml:4:31",
                     "label team=nlp ../kml.yaml:6:9", "context prod KML_CONTEXT"});
}

TEST_CASE("config: folders of templates are relative to the file that names them") {
  Fixture f;
  f.user("templates: /usr/share/templates\n");
  f.project("templates: [./templates]\n");
  CHECK(f.load().template_folders() == std::vector<fs::path>{f.temporary.path() / "project/templates",
                                                             "/usr/share/templates",
                                                             f.temporary.path() / "templates"});
}

TEST_CASE("config: all problems of all sources are reported at once") {
  Fixture f;
  f.user("nmespace: x\n");
  f.project(
      "gpus: 0.5\nnamespace: A_b\nenv: [A]\nmounts: {a: b}\nimage: [x]\nnode-selector:\n  a: [1]\nlabels: {a "
      "b: c}\n");
  f.variables["KML_QUEUE"] = "Team A";
  const std::string user = (f.temporary.path() / "user.yaml").string();
  const std::string in_dns =
      "may contain only lower-case letters, digits and \"-\", and must start and end with a letter or digit";
  CHECK(
      problems_of([&] { f.load(); }) ==
      std::vector<std::string>{user + ":1:1: unknown key \"nmespace\"; did you mean \"namespace\"?",
                               "../kml.yaml:3:6 env: this must be a mapping, not a list",
                               "../kml.yaml:4:9 mounts: this must be a list, not a mapping",
                               "../kml.yaml:5:8 image: this must be a single value, not a list",
                               "../kml.yaml:7:6 node-selector: \"a\" must be a single value",
                               "../kml.yaml:2:12: namespace \"A_b\" " + in_dns,
                               "../kml.yaml:1:7: \"0.5\" is not a whole number: Kubernetes assigns only "
                               "whole GPUs; request a slice by its profile, as in mig-1g.5gb:1",
                               "../kml.yaml:8:15: \"a b\" may contain only letters, digits, \"-\", \"_\" and "
                               "\".\", and must start and end with a letter or digit",
                               "KML_QUEUE: \"Team A\" " + in_dns});
}

TEST_CASE("config: after a syntax error, the rest of the file is not read") {
  Fixture f;
  f.project("image: [\nfoo: 1\n");
  CHECK(problems_of([&] { f.load(); }).size() == 1);
}

}  // namespace config_test
