#include <doctest/doctest.h>

#include <algorithm>

#include "pipeline/compiled_text.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/scripted_steps.h"

namespace kml::pipeline::kfp_run_test {

const char* const kExit = R"(  comp-exit-handler-1:
    dag:
      tasks:
        first: {componentRef: {name: comp-say}, inputs: {parameters: {text: {runtimeValue: {constant: x}}}}}
        second: {componentRef: {name: comp-say}, inputs: {parameters: {text: {taskOutputParameter: {producerTask: first, outputParameterKey: Output}}}}}
  comp-cleanup:
    executorLabel: exec-say
    inputDefinitions: {parameters: {status: {parameterType: TASK_FINAL_STATUS, isOptional: true}}}
)";

/// The result of ScriptedSteps::success(), or a failure if the step is one of those named.
ScriptedSteps::Reports unless(const std::vector<std::string>& failing, const StepJob& job) {
  const bool fails = std::find(failing.begin(), failing.end(), job.step->name) != failing.end();
  return fails ? ScriptedSteps::failure(job, "wanted") : ScriptedSteps::success(job);
}

TEST_CASE(
    "kfp: an exit handler's task runs after a failure and gets a report about it, and the run has failed") {
  TestedPipeline tested("");
  tested.text = compiled(
      R"(      exit-handler-1: {componentRef: {name: comp-exit-handler-1}}
      cleanup:
        componentRef: {name: comp-cleanup}
        dependentTasks: [exit-handler-1]
        inputs: {parameters: {status: {taskFinalStatus: {producerTask: exit-handler-1}}}}
        triggerPolicy: {strategy: ALL_UPSTREAM_TASKS_COMPLETED}
)",
      kExit);
  Json status;
  std::vector<std::string> failing;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->name == "cleanup")
      status = executor_input(*job.step, job.scope)["inputs"]["parameterValues"]["status"];
    return unless(failing, job);
  };
  CHECK(tested.run("r1").end() == Outcome::succeeded);
  CHECK(status["state"] == "SUCCEEDED");
  failing = {"first"};
  tested.renewal.all = true;
  const RunState run = tested.run("r2");
  CHECK(run.end() == Outcome::failed);
  CHECK(run.step("second").phase == Phase::waiting);
  CHECK(run.step("cleanup").phase == Phase::done);
  CHECK(status["state"] == "FAILED");
  CHECK(status["error"]["message"] == "first: wanted");
  CHECK(status["pipelineTaskName"] == "exit-handler-1");
  failing.clear();
  {
    Journal journal = tested.journal_of("r2");
    journal.add({system_clock().now(), record::Resumed{}});
    journal.commit();
  }
  CHECK(tested.run("r2").end() == Outcome::succeeded);
  CHECK(status["state"] == "SUCCEEDED");
  CHECK(tested.server.made.back() == "r2-cleanup-r1");
}

TEST_CASE("kfp: a task that ignores failures runs; a task that only waits for the failed task does not") {
  TestedPipeline tested("");
  tested.text =
      compiled(say("a", constant("x")) + say("b", constant("y"), ", dependentTasks: [a]") +
               say("c", constant("z"), ", dependentTasks: [b]") +
               say("d", constant("w"),
                   ", dependentTasks: [a], triggerPolicy: {strategy: ALL_UPSTREAM_TASKS_COMPLETED}"));
  tested.server.script = [&](const StepJob& job) { return unless({"a"}, job); };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("b").phase == Phase::skipped);
  CHECK(run.step("c").phase == Phase::skipped);
  CHECK(run.step("d").phase == Phase::done);
}

TEST_CASE("kfp: the delay between attempts grows by the retry policy's factor") {
  TestedPipeline tested("");
  tested.text = compiled(say("a", constant("x"),
                             ", retryPolicy: {maxRetryCount: 4, backoffDuration: 0.5s, backoffFactor: 2.0, "
                             "backoffMaxDuration: 3s}"));
  const Pipeline pipeline = parse_pipeline(tested.text, "p.yaml");
  CHECK(pipeline.steps[0].retries == 4);
  CHECK(pipeline.steps[0].backoff == std::chrono::seconds(1));
  int failures = 0;
  tested.server.script = [&](const StepJob& job) {
    return failures++ < 2 ? ScriptedSteps::failure(job, "not yet") : ScriptedSteps::success(job);
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  std::chrono::seconds wait(1);
  Time begun;
  tested.journal_of("r").read([&](const Record& record) {
    if (std::holds_alternative<record::Begun>(record.what)) begun = record.time;
    const auto* again = std::get_if<record::Again>(&record.what);
    if (!again) return;
    CHECK(again->until >= begun + wait);
    CHECK(again->until <= record.time + wait);
    wait *= 2;
  });
  CHECK(wait == std::chrono::seconds(4));
}

TEST_CASE("kfp: a program's report about its outputs overrides their files") {
  TestedPipeline tested("");
  tested.text = compiled(
      "      m: {componentRef: {name: comp-make}, cachingOptions: {enableCache: true}}\n"
      "      r: {componentRef: {name: comp-read}, cachingOptions: {enableCache: true}, inputs: {artifacts: "
      "{data: {taskOutputArtifact: {producerTask: m, outputArtifactKey: data}}}}}\n",
      R"(  comp-make:
    executorLabel: exec-say
    outputDefinitions:
      artifacts:
        data: {artifactType: {schemaTitle: system.Dataset, schemaVersion: 0.0.1}}
        metrics: {artifactType: {schemaTitle: system.Metrics, schemaVersion: 0.0.1}}
      parameters: {n: {parameterType: NUMBER_INTEGER}, from_file: {parameterType: STRING}}
  comp-read:
    executorLabel: exec-say
    inputDefinitions: {artifacts: {data: {artifactType: {schemaTitle: system.Dataset, schemaVersion: 0.0.1}}}}
)");
  std::string rows = "3.0";
  Json data;
  tested.server.script = [&](const StepJob& job) {
    const auto reports = ScriptedSteps::success(job);
    if (job.step->name == "m")
      write_file_atomically(
          job.scope.at("out")["executor_output.json"].get<std::string>(),
          R"({"parameterValues": {"n": 5.0}, "artifacts": {)"
          R"("data": {"artifacts": [{"metadata": {"rows": )" +
              rows +
              R"(}}]}, "metrics": {"artifacts": [{"metadata": {"loss": NaN, "worst": -Infinity, "f1": 0.5}}]}}})");
    else
      data = executor_input(*job.step, job.scope)["inputs"]["artifacts"]["data"]["artifacts"][0];
    return reports;
  };
  const RunState run = tested.run("r1");
  REQUIRE(run.end() == Outcome::succeeded);
  const Json& outputs = run.step("m").outputs;
  CHECK(outputs["n"]["value"].dump() == "5");
  CHECK(outputs["from_file"]["value"] == "from_file of m");
  CHECK(outputs["metrics"]["metrics"] == Json({{"f1", 0.5}, {"loss", "NaN"}, {"worst", "-Infinity"}}));
  CHECK(data["metadata"]["rows"] == 3.0);
  CHECK(data["type"]["schemaTitle"] == "system.Dataset");
  CHECK(read_file(data["uri"].get<std::string>()) == "data of m");
  CHECK(tested.run("r2").step("r").phase == Phase::cached);
  rows = "4.0";  // the same file, but another value
  tested.renewal.steps = {"m"};
  CHECK(tested.run("r3").step("r").phase == Phase::done);
}

TEST_CASE("kfp: an importer's metadata may use its parameters, and times have whole seconds") {
  TestedPipeline tested("");
  write_file_atomically(tested.folder.path() / "file", "content");
  tested.text = compiled(
      say("a", constant("\"{{$.pipeline_job_create_time_utc}} {{$.pipeline_job_schedule_time_utc}}\"")) +
          "      i: {componentRef: {name: comp-import}, inputs: {parameters: {metadata: " + output_of("a") +
          "}}}\n",
      R"(  comp-import:
    executorLabel: exec-import
    inputDefinitions: {parameters: {metadata: {parameterType: STRING}}}
    outputDefinitions: {artifacts: {artifact: {artifactType: {schemaTitle: system.Dataset}}}}
)",
      "    exec-import: {importer: {artifactUri: {constant: file}, metadata: {n: 3.0, "
      "\"{{$.inputs.parameters['metadata']}}\": [\"by {{$.inputs.parameters['metadata']}}\"]}}}\n");
  std::string time;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->name == "a")
      time = executor_input(*job.step, job.scope)["inputs"]["parameterValues"]["text"];
    return ScriptedSteps::success(job);
  };
  const RunState run = tested.run("r");
  REQUIRE(run.end() == Outcome::succeeded);
  CHECK(time.size() == std::string_view("2026-01-01T00:00:00Z 2026-01-01T00:00:00Z").size());
  CHECK(run.step("i").outputs["artifact"]["metadata"] ==
        Json({{"n", 3.0}, {"Output of a", {"by Output of a"}}}));
}

TEST_CASE("kfp: a value that cannot be passed on is an error of the step that made it") {
  struct Case {
    std::string type, said, cause;
  };
  const std::string not_json =
      ": JSON, in which Kubeflow Pipelines passes parameters, has no such number; return a str, or log "
      "it as a metric";
  const Case table[] = {
      {"NUMBER_DOUBLE", "NaN", "output n is NaN" + not_json},
      {"NUMBER_DOUBLE", "-Infinity", "output n is -Infinity" + not_json},
      {"STRUCT", R"({"a": [1, Infinity]})", "output n contains Infinity" + not_json},
      {"STRING", "null",
       "it succeeded, but did not write output n: the function returned None in place of a STRING"},
      {"NUMBER_INTEGER", "\"x\"", "output n is x, not a NUMBER_INTEGER"},
      {"NUMBER_INTEGER", "2.5", "output n is 2.5, not a NUMBER_INTEGER"},
      {"LIST", "{}", "output n is {}, not a LIST"},
      {"STRING", json_text(std::string(200'000, 'x')), "output n has 200002 bytes, more than 131071"},
      {"STRING", "\"NaN\"", ""},
      {"STRING", json_text(std::string(130'000, 'x')), ""},
      {"NUMBER_INTEGER", "true", ""},
      {"LIST", R"(["NaN", "\"", 1e3])", ""},
  };
  for (const Case& each : table) {
    CAPTURE(each.said.substr(0, 50));
    TestedPipeline tested("");
    tested.text = compiled("      m: {componentRef: {name: comp-make}}\n",
                           "  comp-make:\n    executorLabel: exec-say\n    outputDefinitions: {parameters: "
                           "{n: {parameterType: " +
                               each.type + "}}}\n");
    tested.server.script = [&](const StepJob& job) {
      write_file_atomically(job.scope.at("out")["executor_output.json"].get<std::string>(),
                            R"({"parameterValues": {"n": )" + each.said + "}}");
      return ScriptedSteps::success(job);
    };
    const RunState run = tested.run("r1");
    CHECK(run.end() == (each.cause.empty() ? Outcome::succeeded : Outcome::failed));
    CHECK(run.step("m").cause.substr(0, each.cause.size()) == each.cause);
  }
}

TEST_CASE("kfp: parameters that are too long in total are an error of their task") {
  TestedPipeline tested("");
  const std::string text(70'000, 'x');
  tested.text =
      compiled(say("a", constant(text)) +
                   "      b: {componentRef: {name: comp-two}, inputs: {parameters: {x: " + constant(text) +
                   ", y: " + constant(text) + "}}}\n",
               "  comp-two:\n    executorLabel: exec-say\n    inputDefinitions: {parameters: {x: "
               "{parameterType: STRING}, y: "
               "{parameterType: STRING}}}\n");
  const Pipeline pipeline = parse_pipeline(tested.text, "p.yaml");
  CHECK_NOTHROW(pipeline.find("a")->program->command({}, Where::here));
  CHECK_THROWS_WITH_AS(pipeline.find("b")->program->command({}, Where::here),
                       doctest::Contains("its parameters have 140"), const Error&);
}

}  // namespace kml::pipeline::kfp_run_test
