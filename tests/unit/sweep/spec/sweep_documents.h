#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/yaml.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep::sweep_spec_test {

inline Json yaml_of(const char* text) {
  return yaml::to_json(yaml::parse_one(text, "test"), "test");
}

inline std::vector<std::string> paths_of(const Json& document) {
  try {
    parse_sweep(document, "test");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    std::vector<std::string> paths;
    for (const Problem& problem : error.problems) paths.push_back(problem.path);
    return paths;
  }
  return {};
}

// A document in the form of Katib's example of random search, but with a Job.
inline constexpr const char* kExperiment = R"(
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {namespace: kubeflow, name: random}
spec:
  objective:
    type: minimize
    goal: 0.001
    objectiveMetricName: loss
    additionalMetricNames: [Train-accuracy]
  algorithm:
    algorithmName: random
  parallelTrialCount: 3
  maxTrialCount: 12
  maxFailedTrialCount: 3
  resumePolicy: Never
  parameters:
    - name: lr
      parameterType: double
      feasibleSpace: {min: "0.01", max: "0.05"}
    - name: layers
      parameterType: int
      feasibleSpace: {min: "2", max: "5"}
    - name: optimizer
      parameterType: categorical
      feasibleSpace: {list: [sgd, adam, ftrl]}
  metricsCollectorSpec: {collector: {kind: StdOut}}
  trialTemplate:
    primaryContainerName: training-container
    trialParameters:
      - {name: learningRate, description: Learning rate, reference: lr}
      - {name: numberLayers, reference: layers}
      - {name: optimizer, reference: optimizer}
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: training-container
                image: mnist:1
                command:
                  - python3
                  - --lr=${trialParameters.learningRate}
                  - --layers=${trialParameters.numberLayers}
                  - ${trialParameters.optimizer}
)";

/// The same sweep in kml's own format. `text` is its document.
inline Json sweep_of(const char* text) {
  Json document = yaml_of(text);
  document["apiVersion"] = "kml.dev/v1";
  document["kind"] = "Sweep";
  return document;
}

}  // namespace kml::sweep::sweep_spec_test
