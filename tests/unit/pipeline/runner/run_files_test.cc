#include "pipeline/runner/run_files.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace kml::pipeline::run_files_test {

namespace {

namespace fs = std::filesystem;

void write_to(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_file_atomically(path, text);
}

/// Unpacks the files as the pod would find them, in a separate folder.
void unpack_all(const RunFiles& files, const fs::path& parts, const fs::path& root) {
  for (size_t i = 0; i < files.parts.size(); ++i)
    write_to(parts / ("part-00" + std::to_string(i)), files.parts[i]);
  unpack_run_files(parts, root);
}

}  // namespace

TEST_CASE("run files: code and inputs are found at the same paths below another root") {
  const TemporaryFolder folder;
  const fs::path own = folder.path() / "project";
  write_to(own / "lib/train.sh", "train");
  write_to(own / "words.txt", "words");
  write_to(own / "unasked.txt", "not copied");
  pipeline::Pipeline pipeline;
  pipeline.folder = own;
  pipeline.steps.emplace_back().inputs.push_back({"words", {}, "words.txt"});
  const RunFiles files = pack_run_files(pipeline, {}, {{"code", "lib", {}}});
  unpack_all(files, folder.path() / "parts", folder.path() / "root");
  const fs::path there = place_below(folder.path() / "root", own);
  CHECK(read_file_if_exists(there / "lib/train.sh") == "train");
  CHECK(read_file_if_exists(there / "words.txt") == "words");
  CHECK_FALSE(fs::exists(there / "unasked.txt"));
}

TEST_CASE(
    "run files: variables that steps take from the environment are copied, a secret's file is rejected") {
  const TemporaryFolder folder;
  pipeline::Pipeline pipeline;
  pipeline.folder = folder.path();
  ::setenv("KML_TEST_HIDDEN", "sesame", 1);
  const RunFiles files =
      pack_run_files(pipeline, {}, {{"secret", "KML_TEST_HIDDEN", {}}, {"env", "A=1", {}}});
  ::unsetenv("KML_TEST_HIDDEN");
  CHECK(files.variables == std::map<std::string, std::string>{{"KML_TEST_HIDDEN", "sesame"}});
  engine::EngineProgram program;
  const std::vector<Json> secrets = file_secrets(files, "r1", program);
  CHECK(program.files == std::vector<std::string>{"kml-engine-r1-0"});
  CHECK(program.variables == std::vector<std::string>{"kml-engine-r1"});
  CHECK(secrets.size() == 2);
  CHECK_THROWS_WITH_AS(pack_run_files(pipeline, {}, {{"secret", "A=@file", {}}}),
                       doctest::Contains("--in-cluster"), Error);
  CHECK_THROWS_WITH_AS(pack_run_files(pipeline, {}, {{"code", "/abs", {}}}),
                       doctest::Contains("--in-cluster"), Error);
}

TEST_CASE("run files: defaults keep their values and their sources") {
  StepDefaults defaults{{{"image", "a:1", {spec::Source::project_file, "kml.yaml", 3, 8}}}, {"/t"}};
  const StepDefaults read = step_defaults_from_json(to_json(defaults));
  REQUIRE(read.settings.size() == 1);
  CHECK(read.settings[0].value == "a:1");
  CHECK(read.settings[0].origin.text() == "kml.yaml:3:8");
  CHECK(read.template_folders == defaults.template_folders);
}

}  // namespace kml::pipeline::run_files_test
