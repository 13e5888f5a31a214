#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/engine.h"

namespace kml::jobs {

/// Bytes that one Secret holds: less than MaxSecretSize of the API server, which counts keys too.
inline constexpr size_t kMostOfSecret = (size_t{1} << 20) - 1024;

/// The bytes in parts that fit into a Secret each.
std::vector<std::string> secret_parts(std::string_view bytes);

/// The Secrets in which inputs go to the pods, as much as one can hold in each. What several steps read is
/// packed and named once.
class InputSecrets {
 public:
  /// `suffix` ends the names: another run's Secrets are its own.
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

/// Throws Error (usage) if the inputs are too large to go along.
void refuse_large_inputs(const pipeline::StepJob& job);

}  // namespace kml::jobs
