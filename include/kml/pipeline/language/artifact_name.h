#pragma once

#include <string>
#include <string_view>

namespace kml::pipeline {

/// The name of an artifact. "iris-x7k2p/train.model" is the output "model" of step "train" of run
/// "iris-x7k2p". "words" is the artifact stored by `kml artifact put words=FILE`: that command makes a run
/// "words" with a step "put" and its output "words".
struct ArtifactName {
  std::string run, step, output;

  std::string text() const { return is_put() ? run : run + "/" + step + "." + output; }
  bool is_put() const { return step == kPutStep && output == run; }

  static constexpr std::string_view kPutStep = "put";
};

/// Throws usage Error if the text is not a valid name.
ArtifactName parse_artifact_name(const std::string& text);

}  // namespace kml::pipeline
