#pragma once

#include <optional>
#include <string_view>

#include "kml/base/json.h"

namespace kml::job {

/// The prefix with which launchers mark lines, if several ranks share a pod.
struct RankPrefix {
  int number = 0;
  bool is_local = false;  ///< whether the number is unique only in its pod, where ranks start at 0
  size_t length = 0;      ///< length in bytes, including the space after the prefix
};

/// Parses "[default3]:" (a local rank, printed by torchrun --tee 3), "[rank3]:" (in PyTorch's error
/// messages), both in sequence, or "[1,3]<stdout>:" (printed by mpirun --tag-output).
std::optional<RankPrefix> rank_prefix(std::string_view line);

/// The number of ranks in each pod, from the job's field for this number or from the launcher's arguments and
/// environment; 1 if unknown.
int ranks_per_pod(const Json& job);

}  // namespace kml::job
