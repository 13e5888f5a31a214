#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::local {

/// What a failed pod means for its Job.
struct FailureVerdict {
  enum { count, ignore, fail_index, fail_job } action = count;
  std::string message;  ///< of fail_job: for the Job's condition
};

/// By spec.podFailurePolicy: the first rule that matches decides. A pod that was preempted here never counts:
/// the queue took its place away, it did not fail.
FailureVerdict judge_failure(const Json& job, const Json& pod);

}  // namespace kml::local
