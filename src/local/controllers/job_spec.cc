#include "local/controllers/job_spec.h"

#include <algorithm>
#include <limits>

#include "kml/api/job.h"
#include "local/controllers/index_set.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

std::optional<int64_t> number(const Json& job, std::string_view field) {
  const Json* value = find(job, {"spec", field});
  if (!value || !value->is_number_integer()) return {};
  return value->get<int64_t>();
}

int64_t succeeded_count(const Json& job) {
  return int_at(job, {"status", "succeeded"});
}

/// Restarts of the containers of pods that run: with restartPolicy OnFailure each is a retry.
int64_t restarts(const std::vector<ObjectPtr>& active) {
  int64_t sum = 0;
  for (const ObjectPtr& pod : active)
    for (const char* group : {"initContainerStatuses", "containerStatuses"})
      for (const Json& status : array_at(*pod, {"status", group})) sum += int_at(status, {"restartCount"});
  return sum;
}

bool past_backoff_limit(const Json& job, const std::vector<ObjectPtr>& active) {
  const bool per_index = number(job, "backoffLimitPerIndex").has_value();
  // With a limit per index, the whole job has none unless it says so.
  const int64_t limit =
      number(job, "backoffLimit").value_or(per_index ? std::numeric_limits<int32_t>::max() : 6);
  if (int_at(job, {"status", "failed"}) > limit) return true;
  if (string_at(job, {"spec", "template", "spec", "restartPolicy"}) != "OnFailure") return false;
  const int64_t count = restarts(active);
  return limit == 0 ? count > 0 : count >= limit;
}

}  // namespace

bool is_indexed(const Json& job) {
  return string_at(job, {"spec", "completionMode"}) == "Indexed";
}

int wanted_pods(const Json& job, int active) {
  const int64_t parallelism = number(job, "parallelism").value_or(1);
  const auto completions = number(job, "completions");
  // A work queue: once one pod has succeeded, no more are made.
  if (!completions) return static_cast<int>(succeeded_count(job) > 0 ? active : parallelism);
  const int64_t failed =
      static_cast<int64_t>(parse_indexes(string_at(job, {"status", "failedIndexes"})).size());
  return static_cast<int>(std::clamp<int64_t>(*completions - succeeded_count(job) - failed, 0, parallelism));
}

std::vector<int> open_indexes(const Json& job, const std::set<int>& taken) {
  const std::set<int> completed = parse_indexes(string_at(job, {"status", "completedIndexes"}));
  const std::set<int> failed = parse_indexes(string_at(job, {"status", "failedIndexes"}));
  std::vector<int> open;
  for (int index = 0; index < number(job, "completions").value_or(0); ++index)
    if (!completed.contains(index) && !failed.contains(index) && !taken.contains(index))
      open.push_back(index);
  return open;
}

JobVerdict judge_job(const Json& job, const std::vector<ObjectPtr>& active, Time now) {
  const auto completions = number(job, "completions");
  const auto failed_indexes =
      static_cast<int64_t>(parse_indexes(string_at(job, {"status", "failedIndexes"})).size());
  if (past_backoff_limit(job, active))
    return {false, "BackoffLimitExceeded", "Job has reached the specified backoff limit", {}};
  if (auto most = number(job, "maxFailedIndexes"); most && failed_indexes > *most)
    return {false,
            "MaxFailedIndexesExceeded",
            "Job has exceeded the specified maximal number of failed indexes",
            {}};
  if (failed_indexes > 0 && completions && failed_indexes + succeeded_count(job) >= *completions)
    return {false, "FailedIndexes", "Job has failed indexes", {}};
  if (completions && succeeded_count(job) >= *completions)
    return {true, "CompletionsReached", "Reached expected number of succeeded pods", {}};
  if (!completions && succeeded_count(job) > 0 && active.empty())
    return {true, "CompletionsReached", "Reached expected number of succeeded pods", {}};
  const auto deadline = number(job, "activeDeadlineSeconds");
  const auto begin = parse_rfc3339(string_at(job, {"status", "startTime"}));
  if (!deadline || !begin || api::is_suspended(job)) return {};
  const nanoseconds left = *begin + std::chrono::seconds(*deadline) - now;
  if (left.count() > 0) return {false, "", "", left};
  return {false, "DeadlineExceeded", "Job was active longer than specified deadline", {}};
}

}  // namespace kml::local
