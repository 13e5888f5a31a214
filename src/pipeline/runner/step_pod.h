#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// The additions of kml to a step's pods.
struct StepPod {
  struct Input {
    std::string name, digest, path;
    std::vector<std::string> secrets = {};  ///< its parts, if it is sent
  };
  struct Output {
    std::string name, kind, path;
    bool is_optional = false;
  };
  /// A bucket from which inputs come, and to which outputs go.
  struct Bucket {
    std::string url;
    std::vector<std::string> programs = {};   ///< the ConfigMaps with the parts of kml-step-s3
    std::string authorities = {};             ///< the ConfigMap with CA certificates; empty for the image's
    std::vector<std::string> variables = {};  ///< "NAME=VALUE": defaults for AWS's variables
  };
  std::string program;     ///< the ConfigMap with kml-step
  std::string claim = {};  ///< the claim where outputs stay; empty if they are sent
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
  std::optional<Bucket> bucket = {};
};

/// The folders of inputs and outputs in a pod.
inline constexpr std::string_view kStepInputs = "/kml/data/in/", kStepOutputs = "/kml/data/out/";
/// The mounts of a claim in a pod: the folder to which the step writes, and the volume for reading.
inline constexpr std::string_view kStepStore = "/kml/store/", kStepMade = "/kml/made/";
/// The key of kml-step in its ConfigMap, that of a part of an input or of kml-step-s3, and that of CA
/// certificates.
inline constexpr std::string_view kStepKey = "kml-step", kPartKey = "part", kAuthoritiesKey = "ca.pem";
inline constexpr std::string_view kStepPath = "/kml/step/kml-step";

/// Makes kml-step run the command of the job's pods. The first pod of the first pod template reports what the
/// step made. An MPIJob's workers do not run the step's command. Throws Error (usage) if the job has no pod
/// template, or if its container has no command.
void put_into_pods(const StepPod& what, Json& job);

}  // namespace kml::pipeline
