#include "kml/tracking/runs/tracked_run.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kml/job/kinds/state.h"

namespace tracked_run_test {

using namespace kml;
using namespace kml::tracking;

namespace {

std::map<std::string, Json> parameters(const std::vector<std::string>& command) {
  return parameters_of(command, Json::object());
}

}  // namespace

TEST_CASE("runs: a command's parameters are its flags and assignments, as they were written") {
  const auto found = parameters({"python", "train.py", "--lr=1e-3", "--epochs", "5", "+model.depth=2",
                                 "opt=adam", "--amp", "--data", "/data/train", "-v"});
  CHECK(found.at("lr") == "1e-3");
  CHECK(found.at("epochs") == 5);
  CHECK(found.at("model.depth") == 2);
  CHECK(found.at("opt") == "adam");
  CHECK(found.at("amp") == true);
  CHECK(found.at("data") == "/data/train");
  CHECK(found.size() == 6);
  const std::pair<const char*, Json> kValues[] = {
      {"3.10", "3.10"}, {"3.1", 3.1},       {"1234e56", "1234e56"},
      {"007", "007"},   {"7", 7},           {"0.1", 0.1},
      {"-2", -2},       {"01234", "01234"}, {"1.0", 1.0},
      {"+1", "+1"},     {".5", ".5"},       {"1e-4", "1e-4"},
      {"inf", "inf"},   {"true", "true"},   {"123456789", 123456789},
      {"-0", "-0"},     {" 1", " 1"},       {"12345678901234567890123", "12345678901234567890123"}};
  for (const auto& [text, value] : kValues) {
    CAPTURE(text);
    const Json read = parameters({"python", std::string("--x=") + text}).at("x");
    CHECK(read == value);
    CHECK((read.is_string() ? read.get<std::string>() : read.dump()) == text);
  }
  CHECK(parameters({"LR=1"}).empty());  // the first word is the program, not a parameter
  CHECK(parameters({"sh", "-c", "echo 'a' >b=c", "https://x?a=b"}).empty());
  // A script is not an assignment, but may be followed by arguments.
  for (const auto& [flag, script] : {std::pair("-c", "i=0; while true; do i=1; done"),
                                     {"-lc", "x=1\npython train.py"},
                                     {"-e", "a=f(1)"},
                                     {"-c", "d={}; print(d)"}})
    CHECK(parameters({"sh", flag, script, "lr=0.1"}) == std::map<std::string, Json>{{"lr", 0.1}});
  CHECK(parameters({"train.py", "-c", "lr=0.1"}).at("lr") == 0.1);
}

TEST_CASE("runs: variables are parameters, except kml's own and secrets") {
  const Json container = {{"env",
                           {{{"name", "LR"}, {"value", "0.3"}},
                            {{"name", "POD_NAME"}, {"valueFrom", {{"fieldRef", {}}}}},
                            {{"name", "PYTHONUNBUFFERED"}, {"value", "1"}},
                            {{"name", "TOKEN"}, {"valueFrom", {{"secretKeyRef", {}}}}}}}};
  const auto found = parameters_of({"python", "train.py"}, container);
  CHECK(found.size() == 1);
  CHECK(found.at("env.LR") == 0.3);
}

TEST_CASE("runs: conditions can use metrics, their minimum and maximum, parameters and tags") {
  TrackedRun run;
  run.state = "Succeeded";
  run.parameters = {{"lr", 0.1}, {"loss", "l2"}};
  run.metrics = {{"loss", {0.3, 0.2, 0.9, 5}}, {"val.max", {1, 1, 1, 1}}};
  run.tags = {{"paper", "yes"}};
  CHECK(value_of(run, "loss") == 0.3);
  CHECK(value_of(run, "loss.min") == 0.2);
  CHECK(value_of(run, "loss.max") == 0.9);
  CHECK(value_of(run, "val.max") == 1);
  CHECK(value_of(run, "lr") == 0.1);
  CHECK(value_of(run, "tags.paper") == "yes");
  CHECK(value_of(run, "state") == "Succeeded");
  CHECK(value_of(run, "batch").is_null());
  CHECK(value_of(run, "tags.other").is_null());
}

TEST_CASE("runs: numbers of KFP Metrics are metrics of the run, with names that are unique in the step") {
  pipeline::RunState state;
  const auto apply = [&](Json record) {
    record["time"] = "2026-01-01T00:00:00Z";
    state.apply(record.get<pipeline::Record>());
  };
  apply({{"what", "run"}, {"name", "iris-1"}, {"id", "r1"}});
  apply({{"what", "ended"},
         {"step", "train"},
         {"isDone", true},
         {"outputs",
          {{"scores", {{"digest", "d"}, {"metrics", {{"accuracy", 0.5}, {"loss", "NaN"}}}}},
           {"rows", {{"value", 3}}},
           {"text", {{"value", "half"}}}}}});
  apply({{"what", "ended"},
         {"step", "test"},
         {"isDone", true},
         {"outputs",
          {{"left", {{"metrics", {{"accuracy", 0.25}}}}},
           {"right", {{"metrics", {{"accuracy", 0.75}, {"f1", 1}}}}}}}});
  const TrackedRun run = tracked_pipeline(state, {}, {}, {});
  std::vector<std::string> names;
  for (const auto& [name, metric] : run.metrics) names.push_back(name);
  CHECK(names == std::vector<std::string>{"test.f1", "test.left.accuracy", "test.right.accuracy",
                                          "train.accuracy", "train.loss", "train.rows"});
  CHECK(value_of(run, "train.accuracy") == 0.5);
  CHECK(value_of(run, "f1") == 1);
  CHECK(std::isnan(value_of(run, "loss").get<double>()));
}

TEST_CASE("runs: a nested run ends at the latest with its parent, and keeps its own tags and note") {
  struct Row {
    job::State of_job;
    const char *recorded, *shown;
  };
  for (const Row& row :
       {Row{job::State::cancelled, "Running", "Cancelled"}, Row{job::State::failed, "Waiting", "Failed"},
        Row{job::State::failed, "Succeeded", "Succeeded"}, Row{job::State::succeeded, "Running", "Succeeded"},
        Row{job::State::running, "Running", "Running"}}) {
    CAPTURE(row.recorded);
    job::Submission run;
    run.id = "0123456789abcdef";
    run.objects = {{{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", {{"name", "arr"}}},
                    {"spec", {{"template", {{"spec", {{"containers", Json::array()}}}}}}}}};
    run.outcomes["Job/arr"] = {row.of_job, "", Time()};
    job::RunNotes notes;
    notes.nested = {{.id = "2", .name = "2", .state = row.recorded, .tags = {{"x", "1"}}, .note = "best"}};
    const TrackedRun tracked = tracked_submit(run, notes);
    REQUIRE(tracked.nested.size() == 1);
    CHECK(tracked.nested[0].name == "arr/2");
    CHECK(tracked.nested[0].state == row.shown);
    CHECK(value_of(tracked.nested[0], "tags.x") == "1");
    CHECK(value_of(tracked.nested[0], "note") == "best");
  }
}

TEST_CASE("runs: a prefix says whether a name is that of a parameter or of a metric") {
  TrackedRun run;
  run.kind = "job";
  run.parameters = {{"lr", 0.1}, {"seed", 7}, {"env.LR", 0.3}};
  run.metrics = {{"lr", {0.05, 0.01, 0.1, 4}}, {"loss", {0.5, 0.25, 1, 3}}};
  CHECK(value_of(run, "lr") == 0.05);
  CHECK(value_of(run, "metrics.lr") == 0.05);
  CHECK(value_of(run, "metrics.lr.min") == 0.01);
  CHECK(value_of(run, "parameters.lr") == 0.1);
  CHECK(value_of(run, "parameters.seed") == 7);
  CHECK(value_of(run, "parameters.loss").is_null());
  CHECK(value_of(run, "metrics.seed").is_null());
  CHECK_FALSE(is_in_outline("parameters.env.LR"));
  TrackedRun task;
  task.parameters = {{"task", 2}};
  run.nested.push_back(task);
  const auto known = known_names({run});
  for (const char* name : {"lr", "parameters.lr", "metrics.loss.max", "task", "tags.any"})
    CHECK(is_known_name(name, known));
  for (const char* name : {"parameters.x", "x", "parameters."}) CHECK_FALSE(is_known_name(name, known));
}

}  // namespace tracked_run_test
