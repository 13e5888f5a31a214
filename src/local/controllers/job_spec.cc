#include "local/controllers/job_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/controllers/index_ranges.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// The name and the exit code of the first container that the onExitCodes requirement matches.
std::optional<std::pair<std::string, long long>> matching_container(const Json& requirement,
                                                                    const Json& pod) {
  const Json& values = api::values_in(requirement);
  const std::string only = string_at(requirement, {"containerName"});
  const bool wanted = api::operator_of(requirement) == "In";
  for (const char* group : {"containerStatuses", "initContainerStatuses"})
    for (const Json& status : api::container_statuses(pod, group)) {
      const Json* terminated = api::terminated_in(status);
      const std::string name = api::entry_name(status);
      if (!terminated || (!only.empty() && only != name)) continue;
      const long long code = api::exit_code_of(*terminated);
      const bool listed = std::find(values.begin(), values.end(), Json(code)) != values.end();
      if (code != 0 && listed == wanted) return std::pair(name, code);
    }
  return {};
}

const Json* matching_condition(const Json& patterns, const Json& pod) {
  for (const Json& pattern : patterns)
    for (const Json& condition : api::conditions_of(pod))
      if (condition["type"] == pattern["type"] &&
          api::Condition(&condition).status() == pattern.value("status", "True"))
        return &condition;
  return nullptr;
}

FailureVerdict verdict(const std::string& action, std::string message) {
  if (action == "Ignore") return {FailureVerdict::ignore, {}};
  if (action == "FailIndex") return {FailureVerdict::fail_index, {}};
  if (action == "FailJob") return {FailureVerdict::fail_job, std::move(message)};
  return {};
}

}  // namespace

FailureVerdict judge_failure(const Json& job, const Json& pod) {
  // In a cancelled job, no failure is ignored: the controller would create another pod, and nothing would
  // cancel that one.
  if (!annotation_of(job, api::kCancelled).empty()) return {};
  const Json& rules = api::failure_rules_in(api::spec_of(job));
  const std::string who = fmt::format("{}/{}", namespace_of(pod), name_of(pod));
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string action = api::action_of(rules[i]);
    if (const Json* requirement = find(rules[i], {"onExitCodes"})) {
      if (auto match = matching_container(*requirement, pod))
        return verdict(
            action,
            fmt::format("Container {} for pod {} failed with exit code {} matching {} rule at index {}",
                        match->first, who, match->second, action, i));
    } else if (const Json* condition = matching_condition(array_at(rules[i], {"onPodConditions"}), pod)) {
      return verdict(action, fmt::format("Pod {} has condition {} matching {} rule at index {}", who,
                                         api::Condition(condition).type(), action, i));
    }
  }
  if (api::condition(pod, "DisruptionTarget").reason() == "PreemptionByScheduler")
    return {FailureVerdict::ignore, {}};
  return {};
}

namespace {

std::optional<int64_t> number(const Json& job, std::string_view field) {
  const Json* value = find(job, {"spec", field});
  if (!value || !value->is_number_integer()) return {};
  return value->get<int64_t>();
}

/// How often containers in active pods were restarted. With restartPolicy OnFailure, each restart is a retry.
int64_t restarts(const std::vector<ObjectPtr>& active) {
  int64_t sum = 0;
  for (const ObjectPtr& pod : active)
    for (const char* group : {"initContainerStatuses", "containerStatuses"})
      for (const Json& status : api::container_statuses(*pod, group)) sum += api::restart_count(status);
  return sum;
}

bool past_backoff_limit(const Json& job, const std::vector<ObjectPtr>& active) {
  const bool per_index = number(job, "backoffLimitPerIndex").has_value();
  // With backoffLimitPerIndex, the job as a whole has no backoffLimit by default.
  const int64_t limit =
      number(job, "backoffLimit").value_or(per_index ? std::numeric_limits<int32_t>::max() : 6);
  if (api::failed_pods(job) > limit) return true;
  if (api::restart_policy_in(api::pod_spec_of(job)) != "OnFailure") return false;
  const int64_t count = restarts(active);
  return limit == 0 ? count > 0 : count >= limit;
}

}  // namespace

int wanted_pods(const Json& job, int active) {
  const int64_t parallelism = number(job, "parallelism").value_or(1);
  const auto completions = number(job, "completions");
  // In a work queue job, no pods are created once one has succeeded.
  if (!completions) return static_cast<int>(api::succeeded_pods(job) > 0 ? active : parallelism);
  const auto failed = int64_t{IndexRanges::parse(api::failed_indexes(job)).count()};
  return static_cast<int>(
      std::clamp<int64_t>(*completions - api::succeeded_pods(job) - failed, 0, parallelism));
}

std::vector<int> open_indexes(const Json& job, const std::set<int>& taken, size_t most) {
  const IndexRanges completed = IndexRanges::parse(api::completed_indexes(job));
  const IndexRanges failed = IndexRanges::parse(api::failed_indexes(job));
  const int64_t completions = number(job, "completions").value_or(0);
  std::vector<int> open;
  for (int index = 0; open.size() < most;) {
    const int next = std::max(completed.next_missing(index), failed.next_missing(index));
    if (next >= completions) break;
    if (next == index && !taken.contains(index)) open.push_back(index);
    index = std::max(next, index + (next == index ? 1 : 0));
  }
  return open;
}

JobVerdict judge_job(const Json& job, const std::vector<ObjectPtr>& active, Time now) {
  const auto completions = number(job, "completions");
  const auto failed_indexes = int64_t{IndexRanges::parse(api::failed_indexes(job)).count()};
  if (past_backoff_limit(job, active))
    return {false, "BackoffLimitExceeded", "Job has reached the specified backoff limit", {}};
  if (auto most = number(job, "maxFailedIndexes"); most && failed_indexes > *most)
    return {false,
            "MaxFailedIndexesExceeded",
            "Job has exceeded the specified maximal number of failed indexes",
            {}};
  if (failed_indexes > 0 && completions && failed_indexes + api::succeeded_pods(job) >= *completions)
    return {false, "FailedIndexes", "Job has failed indexes", {}};
  if (completions && api::succeeded_pods(job) >= *completions)
    return {true, "CompletionsReached", "Reached expected number of succeeded pods", {}};
  if (!completions && api::succeeded_pods(job) > 0 && active.empty())
    return {true, "CompletionsReached", "Reached expected number of succeeded pods", {}};
  const auto deadline = number(job, "activeDeadlineSeconds");
  const auto begin = api::started_at(job);
  if (!deadline || !begin || api::is_suspended(job)) return {};
  const nanoseconds left = *begin + std::chrono::seconds(*deadline) - now;
  if (left.count() > 0) return {false, "", "", left};
  return {false, "DeadlineExceeded", "Job was active longer than specified deadline", {}};
}

}  // namespace kml::local
