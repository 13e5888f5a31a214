#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

/// The most bytes in one Secret: less than the API server's MaxSecretSize, which counts keys too.
inline constexpr size_t kMostOfSecret = (size_t{1} << 20) - 1024;

/// Splits the bytes into parts that each fit into a Secret.
std::vector<std::string> secret_parts(std::string_view bytes);

/// The Secrets that carry inputs to the pods, each as full as possible. An input that several steps read is
/// packed and named only once.
class InputSecrets {
 public:
  /// The names end with `suffix`, so that each run has its own Secrets.
  explicit InputSecrets(std::string suffix) : suffix_(std::move(suffix)) {}

  /// The names of an input's Secrets, by its {"digest", "path"}.
  const std::vector<std::string>& names(const Json& made);
  /// The Secrets themselves.
  std::vector<Json> objects(const Json& made);

 private:
  struct Packed {
    std::vector<std::string> parts, names;
  };
  const Packed& packed(const Json& made);

  const std::string suffix_;
  std::map<std::string, Packed> packed_;  ///< by digest
};

/// Throws Error (usage) if the inputs are too large to be sent as Secrets.
void refuse_large_inputs(const StepJob& job);

}  // namespace kml::pipeline
