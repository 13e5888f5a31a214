#include "sweep/commands/sweep_overlay.h"

#include <doctest/doctest.h>

#include "kml/sweep/spec/sweep_spec.h"

namespace sweep_overlay_test {

using namespace kml;

namespace {

Json document_of(const char* version, const char* kind) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata", {{"name", "s"}}},
          {"spec",
           {{"objective", {{"type", "maximize"}, {"objectiveMetricName", "accuracy"}}},
            {"parameters", Json::array({sweep::parameter_of_flag("x=1..9")})},
            {"trialTemplate", {{"trialSpec", {{"kind", "Job"}, {"args", {"{x}"}}}}}}}}};
}

}  // namespace

TEST_CASE("sweep flags: override the fields of a file that have the same meaning") {
  Json document = document_of("kml.dev/v1", "Sweep");
  document["spec"]["budget"] = {{"trials", 2}, {"target", 0.5}, {"gpuHours", 3}};
  document["spec"]["algorithm"] = {
      {"algorithmName", "random"},
      {"algorithmSettings", {{{"name", "random_state"}, {"value", "1"}}, {{"name", "seed"}, {"value", 2}}}}};
  cli::SweepRequest request;
  request.names = {"other"};
  request.trials = 50;
  request.goal = "0.9999";
  request.seed = 7;
  cli::lay_over(document, request);
  const sweep::SweepSpec spec = sweep::parse_sweep(document, "test");
  CHECK(spec.name == "other");
  CHECK(spec.budget.trials == 50);
  CHECK(spec.objective.goal == 0.9999);
  CHECK(spec.budget.gpu_hours == 3);
  CHECK(spec.seed == 7);
}

TEST_CASE("sweep flags: a sweep that continues keeps the settings that are not given again") {
  Json before = document_of("kml.dev/v1", "Sweep");
  before["spec"].update({{"maxTrialCount", 6},
                         {"parallelTrialCount", 2},
                         {"retry", {{"failures", 1}}},
                         {"budget", {{"wallTime", "3600s"}, {"gpuHours", 3}}}});
  before["spec"]["objective"]["goal"] = 0.9;
  Json after = document_of("kml.dev/v1", "Sweep");
  cli::keep_unsaid(after, before);
  CHECK(after == before);
  after = document_of("kml.dev/v1", "Sweep");
  after["spec"].update(
      {{"parallelTrialCount", 3}, {"budget", {{"trials", 9}, {"target", 0.5}, {"gpuHours", nullptr}}}});
  cli::keep_unsaid(after, before);
  const sweep::SweepSpec spec = sweep::parse_sweep(after, "test");
  CHECK(spec.budget.trials == 9);
  CHECK(spec.parallel == 3);
  CHECK(spec.objective.goal == 0.5);
  CHECK(spec.retries == 1);
  CHECK(spec.budget.wall_time == std::chrono::hours(1));
  CHECK(!spec.budget.gpu_hours);  // explicitly none
}

TEST_CASE("sweep flags: a Katib Experiment gets a seed in Katib's own field for it") {
  Json document = document_of("kubeflow.org/v1beta1", "Experiment");
  cli::SweepRequest request;
  request.seed = 7;
  cli::lay_over(document, request);
  CHECK(sweep::parse_sweep(document, "test").seed == 7);
}

}  // namespace sweep_overlay_test
