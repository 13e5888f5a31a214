#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/pipeline.h"

namespace kml::jobs {

/// What a step's pods have beside its own.
struct StepPod {
  struct Input {
    std::string name, digest, path;
    std::vector<std::string> secrets = {};  ///< its parts, where it goes along
  };
  struct Output {
    std::string name, kind, path;
    bool is_optional = false;
  };
  std::string program;     ///< the ConfigMap with kml-step
  std::string claim = {};  ///< on which outputs stay; none where they are sent
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
};

/// Where inputs and outputs are in a pod.
inline constexpr std::string_view kStepInputs = "/kml/data/in/", kStepOutputs = "/kml/data/out/";
/// Where a claim is in a pod: what the step writes, and the same to be read only.
inline constexpr std::string_view kStepStore = "/kml/store/", kStepMade = "/kml/made/";
/// The key of kml-step in its ConfigMap, and of a part of an input in its Secret.
inline constexpr std::string_view kStepKey = "kml-step", kPartKey = "part";
inline constexpr std::string_view kStepPath = "/kml/step/kml-step";

/// Lets kml-step run the command of the job's pods. Those of its first pod template, and there the first pod,
/// report what the step made; an MPIJob's workers run no command of the step's. Throws Error (usage) if the
/// job has no pod template, or its container leaves the command to its image.
void put_into_pods(const StepPod& what, Json& job);

}  // namespace kml::jobs
