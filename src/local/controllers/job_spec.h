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

/// How a failed pod affects its Job.
struct FailureVerdict {
  enum { count, ignore, fail_index, fail_job } action = count;
  std::string message;  ///< for the Job's condition, if fail_job
};

/// Applies spec.podFailurePolicy: the first matching rule decides. A preempted pod is never a failure,
/// because the scheduler stopped it.
FailureVerdict judge_failure(const Json& job, const Json& pod);

// Functions of a Job's spec and status, without side effects.

/// How many pods the job should have now, given the number of active ones.
int wanted_pods(const Json& job, int active);

/// The first indexes, at most `most`, that have neither succeeded nor failed finally and are not in `taken`.
std::vector<int> open_indexes(const Json& job, const std::set<int>& taken, size_t most);

/// Whether a Job is finished, with the Job controller's reason and message. An empty reason means that it is
/// not; `look_again_in` is then set if a deadline may change that.
struct JobVerdict {
  bool succeeded = false;
  std::string reason, message;
  std::optional<std::chrono::nanoseconds> look_again_in;
};
JobVerdict judge_job(const Json& job, const std::vector<ObjectPtr>& active, Time now);

}  // namespace kml::local
