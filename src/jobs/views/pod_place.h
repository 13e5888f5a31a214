#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::jobs {

/// A short name of a pod among those of its job: "0", "worker-1", "x7f2q".
std::string short_pod_name(const Json& pod, std::string_view job_name);

/// A pod's place among its job's, from 0, where they have an order: a completion index, or with a PyTorchJob
/// the master and then its workers. `job` may be null.
std::optional<int> rank_of(const Json& pod, const Json* job);

/// Counts the pods of each place of a job, in the order in which they are asked for.
class Attempts {
 public:
  /// From 1; the same one for the same uid.
  int number_of(const std::string& place, const std::string& uid);

 private:
  std::map<std::string, std::vector<std::string>> uids_;
};

}  // namespace kml::jobs
