#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"

namespace kml::api {

// A batch/v1 Job.

/// How many of the job's pods must succeed, and how many may run at the same time.
inline long long completions_of(const Json& job, long long fallback = 0) {
  return int_at(job, {"spec", "completions"}, fallback);
}
inline long long parallelism_of(const Json& job, long long fallback = 0) {
  return int_at(job, {"spec", "parallelism"}, fallback);
}
inline bool is_indexed(const Json& job) {
  return string_at(job, {"spec", "completionMode"}) == "Indexed";
}
/// How many pods may fail before the job fails.
inline long long backoff_limit_of(const Json& job, long long fallback = 0) {
  return int_at(job, {"spec", "backoffLimit"}, fallback);
}

/// How many pods of each index may fail before the index fails. Empty if there is only a limit for the whole
/// job.
inline std::optional<long long> retries_per_index(const Json& job) {
  const Json* limit = find(job, {"spec", "backoffLimitPerIndex"});
  return limit ? std::optional(int_at(job, {"spec", "backoffLimitPerIndex"})) : std::nullopt;
}

inline const Json& pod_template_of(const Json& job) {
  return object_at(job, {"spec", "template"});
}
inline const Json& pod_spec_of(const Json& job) {
  return object_at(job, {"spec", "template", "spec"});
}

/// The rules of the job's podFailurePolicy, and what each does with a matching pod.
inline const Json& failure_rules_in(const Json& job_spec) {
  return array_at(job_spec, {"podFailurePolicy", "rules"});
}
inline std::string action_of(const Json& rule) {
  return string_at(rule, {"action"});
}

// The number of the job's pods in each state.

inline long long active_pods(const Json& job) {
  return int_at(job, {"status", "active"});
}
inline long long succeeded_pods(const Json& job) {
  return int_at(job, {"status", "succeeded"});
}
inline long long failed_pods(const Json& job) {
  return int_at(job, {"status", "failed"});
}

/// The indexes that have succeeded, and those that have failed and will not be retried: "0,2-4".
inline std::string completed_indexes(const Json& job) {
  return string_at(job, {"status", "completedIndexes"});
}
inline std::string failed_indexes(const Json& job) {
  return string_at(job, {"status", "failedIndexes"});
}

// A PyTorchJob.

/// The job's replicas by type: Master and Worker.
inline const Json& replicas_of(const Json& job) {
  return object_at(job, {"spec", "pytorchReplicaSpecs"});
}
inline const Json& template_in(const Json& replica) {
  return object_at(replica, {"template"});
}
inline long long replica_count_in(const Json& replica, long long fallback = 0) {
  return int_at(replica, {"replicas"}, fallback);
}
inline long long backoff_limit_in(const Json& run_policy, long long fallback = 0) {
  return int_at(run_policy, {"backoffLimit"}, fallback);
}
inline const Json& run_policy_of(const Json& job) {
  return object_at(job, {"spec", "runPolicy"});
}

/// Suspends or resumes a Job or PyTorchJob. A suspended job has no running pods.
inline void set_suspended(Json& job, bool suspended) {
  Json& spec = job["spec"];
  (spec.contains("pytorchReplicaSpecs") ? spec["runPolicy"] : spec)["suspend"] = suspended;
}

}  // namespace kml::api
