#include <doctest/doctest.h>

#include "kml/base/files.h"
#include "kml/base/frames.h"
#include "kml/base/process.h"
#include "pipeline/compiled_text.h"
#include "pipeline/engine/sent_outputs.h"
#include "pipeline/file/parse_pipeline.h"
#include "support/temporary_folder.h"

namespace kml::pipeline::tests::sent_task {

namespace {

namespace fs = std::filesystem;

const char* const kComponent = R"(  comp-a:
    executorLabel: exec-say
    inputDefinitions: {artifacts: {data: {artifactType: {schemaTitle: system.Dataset}}}}
    outputDefinitions:
      parameters: {n: {parameterType: NUMBER_INTEGER}}
      artifacts:
        model: {artifactType: {schemaTitle: system.Model}}
        none: {artifactType: {schemaTitle: system.Artifact}}
)";

/// A task that makes a number and two files, from a file that its pod finds at /in/data.
struct PodOfTask {
  TemporaryFolder folder;
  LocalStore store{folder.path() / "store"};
  const fs::path out = folder.path() / "out", message = folder.path() / "message";
  const std::string said{StepProgram::kResultFile};
  const Pipeline pipeline = parse_pipeline(
      compiled("      a: {componentRef: {name: comp-a}, inputs: {artifacts: {data: {componentInputArtifact: "
               "d}}}}\n",
               kComponent, "",
               "  inputDefinitions: {artifacts: {d: {artifactType: {schemaTitle: system.Dataset}}}}\n"),
      "p.yaml");
  StepJob job{"run-a", pipeline.steps.data(), {{"inputs", {{"data", {{"path", "/in/data"}}}}}}};

  PodOfTask() {
    for (const std::string& name : {std::string("n"), std::string("model"), std::string("none"), said})
      job.scope["out"][name] = (out / name).string();
    job.inputs = {{"data", {{"path", "/here/data"}, {"digest", "d"}, {"bytes", 3}, {"files", 1}}}};
  }

  /// The outputs that a script makes. In the script, $0 is the folder for them.
  Json made(const std::string& script) const {
    fs::remove(message);
    std::vector<std::string> words{fs::path(KML_BINARY).parent_path() / "kml-step"};
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    for (const auto& [kind, name] :
         {std::pair("value", std::string("n")), {"file", "model"}, {"file", "none"}, {"value", said}})
      add({"--optional", kind, name, out / name});
    add({"--message", message, "--report", "trees", "--", "sh", "-c", script, out});
    const ProcessResult result = run_process(words, {});
    REQUIRE(result.exit_code == 0);
    Frames frames;
    REQUIRE(find_frames_note(read_file(message), frames));
    std::string packed;
    REQUIRE(read_frames(result.out, frames, packed) == nullptr);
    return keep_sent(packed, "run", job, store);
  }

  /// The output "model", if the program reports `what` about it.
  Json model(const std::string& what) const {
    return made(
        "echo x >$0/model; echo '{\"parameterValues\": {\"n\": 5.0}, \"artifacts\": {\"model\": "
        "{\"artifacts\": [" +
        what + "]}}}' >$0/" + said)["model"];
  }
};

}  // namespace

TEST_CASE("sent task: existing files come from the pod; instead of a missing file, an empty one is made") {
  const PodOfTask pod;
  const Json made = pod.made("echo x >$0/model; echo 4 >$0/n");
  CHECK(made["n"]["value"] == 4);
  CHECK(made["model"]["bytes"] == 2);
  CHECK(made["none"]["bytes"] == 0);
  CHECK(pod.store.has(string_at(made, {"none", "path"}), string_at(made, {"none", "digest"})));
  CHECK_THROWS_WITH_AS(pod.made("true"), "it succeeded, but did not write output n", Error);
}

TEST_CASE(
    "sent task: what the program reports overrides its files; an output elsewhere in the pod is an error") {
  const PodOfTask pod;
  CHECK(pod.made("echo 4 >$0/n; echo '{\"parameterValues\": {\"n\": 5.0}}' >$0/" + pod.said)["n"]["value"] ==
        5);
  CHECK(pod.model(R"({"metadata": {"k": NaN}})")["metadata"] == Json{{"k", nullptr}});
  const Json handed_on = pod.model(R"({"uri": "/in/data"})");
  CHECK(handed_on["path"] == "/here/data");
  CHECK(handed_on["kind"] == "model");
  CHECK_THROWS_WITH_AS(pod.model(R"({"custom_path": "/tmp/x"})"), "output model is at /tmp/x", Error);
  CHECK_THROWS_WITH_AS(pod.model(R"({"uri": "s3://b/x"})"), "output model is at s3://b/x", Error);
}

}  // namespace kml::pipeline::tests::sent_task
