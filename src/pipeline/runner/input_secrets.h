#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

/// How many bytes a Secret holds at most. This is less than the API server's MaxSecretSize, which includes
/// the keys.
inline constexpr size_t kMostOfSecret = (size_t{1} << 20) - 1024;

/// Splits the bytes into parts, each of which fits into a Secret.
std::vector<std::string> secret_parts(std::string_view bytes);

/// The Secrets with inputs for pods; each Secret is as full as possible. An input that several steps read is
/// packed only once.
class InputSecrets {
 public:
  /// Names end with `suffix`, so that each run has separate Secrets.
  explicit InputSecrets(std::string suffix) : suffix_(std::move(suffix)) {}

  /// The names of the Secrets with this input, which is given as {"digest", "path"}.
  const std::vector<std::string>& names(const Json& made);
  /// The Secrets with this input.
  std::vector<Json> objects(const Json& made);

 private:
  struct Packed {
    std::vector<std::string> parts, names;
  };
  const Packed& packed(const Json& made);

  const std::string suffix_;
  std::map<std::string, Packed> packed_;  ///< by digest
};

/// Throws usage Error if the inputs are too large to be sent as Secrets.
void refuse_large_inputs(const StepJob& job);

}  // namespace kml::pipeline
