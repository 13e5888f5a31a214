#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/yaml.h"
#include "support/temporary_folder.h"

namespace yaml_corpus_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

/// The manifest as kubectl reads it, without a server; empty if kubectl is missing or rejects it. (Only the
/// removal of an annotation that does not exist makes kubectl print what it has read.)
std::string kubectl_json(const fs::path& file) {
  ProcessResult result = run_process({"kubectl", "annotate", "--local", "-f", file, "no-such-annotation-",
                                      "-o", "json", "--kubeconfig=/dev/null"});
  return result.exit_code == 0 ? result.out : "";
}

const bool have_kubectl = run_process({"kubectl", "version", "--client"}).exit_code == 0;

}  // namespace

TEST_CASE("yaml: the files of the corpus give the JSON that kubectl gives") {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(KML_SOURCE_DIR) / "tests/golden/yaml")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    INFO(entry.path().filename().string());
    const Json ours = yaml::to_json(yaml::parse_one(read_file(entry.path()), "corpus"), "corpus");
    fs::path expected = entry.path();
    expected.replace_extension(".json");
    CHECK(ours == parse_json(read_file(expected), "corpus"));
    if (have_kubectl) CHECK(ours == parse_json(kubectl_json(entry.path()), "kubectl"));
    CHECK(yaml::to_json(yaml::parse_one(yaml::to_yaml(ours), "written"), "written") == ours);
  }
  CHECK(files >= 11);
}

TEST_CASE("yaml: kubectl reads what kml writes") {
  if (!have_kubectl) return;
  TemporaryFolder folder;
  Json object = {{"apiVersion", "example.com/v1"},
                 {"kind", "Corpus"},
                 {"metadata", {{"name", "corpus"}, {"annotations", Json::object()}}}};
  for (const char* text :
       {"yes", "0o17", "017",  "1:30", "2001-01-01", "1e3",  "a\nb\n\n", " a\nb", "\x7f", "é",           "=",
        "<<",  "- a",  "a: b", "~",    "",           "a\tb", "1_0",      ".5",    "-x",   "\xe2\x80\xa8"})
    object["v"].push_back(text), object["m"][text] = text;
  std::ofstream(folder.path() / "object.yaml") << yaml::to_yaml(object);
  CHECK(parse_json(kubectl_json(folder.path() / "object.yaml"), "kubectl") == object);
}

}  // namespace yaml_corpus_test
