#pragma once

#include <optional>
#include <string_view>

#include "kml/base/json.h"

namespace kml::job {

/// The prefix by which launchers mark the lines of ranks that share a pod.
struct RankPrefix {
  int number = 0;
  bool is_local = false;  ///< whether each pod numbers its ranks from 0
  size_t length = 0;      ///< bytes, including the space after it
};

/// Parses "[default3]:" (torchrun --tee 3, a local rank), "[rank3]:" (PyTorch's error messages), both in
/// sequence, or "[1,3]<stdout>:" (mpirun --tag-output).
std::optional<RankPrefix> rank_prefix(std::string_view line);

/// The number of ranks in each pod, from the job's own field or its launcher's arguments and environment; 1
/// if unknown.
int ranks_per_pod(const Json& job);

}  // namespace kml::job
