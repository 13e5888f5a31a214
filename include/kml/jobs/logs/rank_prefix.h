#pragma once

#include <optional>
#include <string_view>

#include "kml/core/json.h"

namespace kml::jobs {

/// The mark before each line by which launchers tell apart the ranks that share a pod.
struct RankPrefix {
  int number = 0;
  bool is_local = false;  ///< the number counts from 0 in each pod
  size_t length = 0;      ///< bytes, with the space after it
};

/// "[default3]:" (torchrun --tee 3, a local rank), "[rank3]:" (PyTorch's error messages), both one after the
/// other, or "[1,3]<stdout>:" (mpirun --tag-output).
std::optional<RankPrefix> rank_prefix(std::string_view line);

/// How many ranks run in each pod, from the job's own field or its launcher's arguments and environment; 1
/// where neither tells.
int ranks_per_pod(const Json& job);

}  // namespace kml::jobs
