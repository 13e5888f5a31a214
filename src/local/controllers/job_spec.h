#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "local/store/store.h"

namespace kml::local {

/// The consequence of a pod's failure for its Job.
struct FailureVerdict {
  enum { count, ignore, fail_index, fail_job } action = count;
  std::string message;  ///< the message of the Job's condition, if the Job fails
};

/// Applies spec.podFailurePolicy; the first rule that matches decides. If no rule matches, a preemption is
/// not a failure, because the scheduler stopped the pod. In a cancelled job, each failure counts.
FailureVerdict judge_failure(const Json& job, const Json& pod);

// Functions on a Job's spec and status. They have no side effects.

/// How many pods the job should have now, if this many are active.
int wanted_pods(const Json& job, int active);

/// The first indexes, at most `most`, that have not succeeded, have not failed for good, and are not in
/// `taken`.
std::vector<int> open_indexes(const Json& job, const std::set<int>& taken, size_t most);

/// Whether a Job is finished, and the reason and message for its condition. An empty reason means that it is
/// not finished; `look_again_in` is then set if a deadline may finish it.
struct JobVerdict {
  bool succeeded = false;
  std::string reason, message;
  std::optional<std::chrono::nanoseconds> look_again_in;
};
JobVerdict judge_job(const Json& job, const std::vector<ObjectPtr>& active, Time now);

}  // namespace kml::local
