#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

// Questions about a Job's spec and status, without side effects.

bool is_indexed(const Json& job);

/// How many pods should be there now, given how many are active.
int wanted_pods(const Json& job, int active);

/// The indexes that have neither succeeded nor failed for good, nor are taken, in order.
std::vector<int> open_indexes(const Json& job, const std::set<int>& taken);

/// Whether a Job is done: reason and message as the Job controller words them; an empty reason means not
/// yet, and `look_again_in` when a deadline may change that.
struct JobVerdict {
  bool succeeded = false;
  std::string reason, message;
  std::optional<std::chrono::nanoseconds> look_again_in;
};
JobVerdict judge_job(const Json& job, const std::vector<ObjectPtr>& active, Time now);

}  // namespace kml::local
