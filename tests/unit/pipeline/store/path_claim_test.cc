#include <doctest/doctest.h>

#include <filesystem>
#include <optional>

#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/pipeline/store/key_claim.h"
#include "pipeline/scripted_steps.h"

namespace kml::pipeline::path_claim_test {

TEST_CASE("pipeline: a step waits while another run writes to the file at its output's path") {
  TestedPipeline tested(R"(  steps:
    make: {command: [make], outputs: {text: {kind: file, path: out/../text}}}
)");
  tested.server.is_in_one_folder = true;
  tested.server.script = [](const StepJob& job) {
    return ScriptedSteps::failure(job, "it need not succeed here");
  };
  const std::filesystem::path file = std::filesystem::canonical(tested.folder.path()) / "text";
  std::optional<KeyClaim> claim(claim_key(tested.store.folder(), "path-" + sha256_hex(file.string()), "r1"));
  REQUIRE(*claim);
  int rounds = 0;
  std::string cause;
  tested.on_round = [&](const Engine& engine) {
    cause = engine.state().step("make").cause;
    if (++rounds < 4) {
      CHECK(tested.server.made.empty());
      CHECK(cause == "waits for run r1, which writes to the same file");
    } else {
      claim.reset();
    }
  };
  SUBCASE("in the same folder") {
    tested.run("r2");
    CHECK(rounds > 4);
  }
  SUBCASE("even if the step must run again") {
    tested.renewal.all = true;
    tested.run("r2");
    CHECK(rounds > 4);
  }
  CHECK(tested.server.made == std::vector<std::string>{"r2-make"});
}

TEST_CASE("pipeline: steps in separate folders do not wait for each other's files") {
  TestedPipeline tested(R"(  steps:
    make: {command: [make], outputs: {text: {kind: file, path: text}}}
)");
  tested.server.script = [](const StepJob& job) { return ScriptedSteps::failure(job, "no matter"); };
  const std::filesystem::path file = std::filesystem::canonical(tested.folder.path()) / "text";
  const KeyClaim claim = claim_key(tested.store.folder(), "path-" + sha256_hex(file.string()), "r1");
  tested.run("r2");
  CHECK(tested.server.made == std::vector<std::string>{"r2-make"});
}

}  // namespace kml::pipeline::path_claim_test
