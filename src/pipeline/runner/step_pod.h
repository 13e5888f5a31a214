#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// The parts that kml adds to a step's pods.
struct StepPod {
  struct Input {
    std::string name, digest, path;
    std::vector<std::string> secrets = {};  ///< the Secrets with the input's parts, if the input is sent
  };
  struct Output {
    std::string name, kind, path;
    bool is_optional = false;
  };
  /// The bucket from which inputs are read, and to which outputs are written.
  struct Bucket {
    std::string url;
    std::vector<std::string> programs = {};  ///< the ConfigMaps with the parts of kml-step-s3
    /// the ConfigMap with CA certificates; empty means that the image's are used
    std::string authorities = {};
    std::vector<std::string> variables = {};  ///< "NAME=VALUE": defaults for AWS variables
  };
  std::string program;  ///< the ConfigMap with kml-step
  /// the claim on which outputs stay; empty if they are sent, or written to `bucket`
  std::string claim = {};
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
  std::optional<Bucket> bucket = {};
};

/// The folders of inputs and outputs in a pod.
inline constexpr std::string_view kStepInputs = "/kml/data/in/", kStepOutputs = "/kml/data/out/";
/// Where a claim's volume is mounted in a pod: first for writing outputs, then, read-only, for inputs.
inline constexpr std::string_view kStepStore = "/kml/store/", kStepMade = "/kml/made/";
/// The keys in ConfigMaps and Secrets: for kml-step, for a part of an input or of kml-step-s3, and for CA
/// certificates.
inline constexpr std::string_view kStepKey = "kml-step", kPartKey = "part", kAuthoritiesKey = "ca.pem";
inline constexpr std::string_view kStepPath = "/kml/step/kml-step";

/// The volume that contains kml-step. For a bucket, it also contains the parts of kml-step-s3 and the CA
/// certificates.
Json program_volume(const StepPod& what);

/// Makes kml-step run the command in the job's pods. The first pod of the first pod template reports the
/// outputs. The workers of an MPIJob do not run the step's command. Throws usage Error if the job has no pod
/// template, or its container has no command.
void put_into_pods(const StepPod& what, Json& job);

}  // namespace kml::pipeline
