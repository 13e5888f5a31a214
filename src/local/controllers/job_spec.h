#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "local/store/store.h"

namespace kml::local {

/// Completion indexes as Kubernetes writes them: "0,2-5".
std::set<int> parse_indexes(std::string_view text);
std::string format_indexes(const std::set<int>& indexes);

/// What a failed pod means for its Job.
struct FailureVerdict {
  enum { count, ignore, fail_index, fail_job } action = count;
  std::string message;  ///< of fail_job: for the Job's condition
};

/// By spec.podFailurePolicy: the first rule that matches decides. A pod that was preempted here never counts:
/// the queue took its place away, it did not fail.
FailureVerdict judge_failure(const Json& job, const Json& pod);

// Questions about a Job's spec and status, without side effects.

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
