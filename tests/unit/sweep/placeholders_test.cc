#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/base/yaml.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "sweep/spec/trial_template.h"

namespace placeholders_test {

using namespace kml;
using namespace kml::sweep;

namespace {

constexpr const char* kExperiment = R"x(
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: e}
spec:
  objective: {type: minimize, objectiveMetricName: loss}
  algorithm: {algorithmName: random}
  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "0.03"}}]
  trialTemplate:
    trialParameters: [{name: rate, reference: lr}, {name: trial, reference: "${trialSpec.Name}"}]
    trialSpec:
      kind: Job
      args:
      - "lr = ${trialParameters.rate}; print(f'{lr} {rate} {trial} {args} {until} {{lr}}')"
      - "{args}"
      - "${kml.trial}"
)x";

SweepSpec spec_of(const std::string& text) {
  return parse_sweep(yaml::to_json(yaml::parse_one(text, "e.yaml"), "e.yaml"), "e.yaml");
}

}  // namespace

TEST_CASE("placeholders: in a Katib manifest, only ${trialParameters.X} and ${kml.X} are replaced") {
  const SweepSpec spec = spec_of(kExperiment);
  const Json manifest = TrialTemplate(spec).manifest({.name = "e-t3", .trial = 3, .values = {{"lr", 0.02}}});
  CHECK(manifest["args"][0] == "lr = 0.02; print(f'{lr} {rate} {trial} {args} {until} {{lr}}')");
  CHECK(manifest["args"][1] == "{args}");
  CHECK(manifest["args"][2] == "3");
  CHECK(holes_nearly_met(spec).empty());
}

TEST_CASE("placeholders: in a Katib manifest, a parameter used only in kml's own form is an error") {
  std::string text = kExperiment;
  text.replace(text.find("${trialParameters.rate}"), 23, "{lr}");
  const SweepSpec spec = spec_of(text);
  try {
    TrialTemplate refused(spec);
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(error.fix.find("${trialParameters.NAME}") != std::string::npos);
  }
}

TEST_CASE(
    "placeholders: kml's own values, such as the trial's number, are written differently in kml's and "
    "Katib's files") {
  CHECK(own_hole(Placeholders::kml, "trial") == "{trial}");
  CHECK(own_hole(Placeholders::katib, "trial") == "${kml.trial}");
}

}  // namespace placeholders_test
