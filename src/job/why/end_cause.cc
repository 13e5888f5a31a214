#include "job/why/causes.h"
#include "job/why/retries.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <tuple>

#include "job/views/never_ran.h"
#include "job/views/time_limit.h"
#include "job/why/replacements.h"
#include "kml/base/text.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/views/task.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// What became of the retries of a job that failed. Empty if the job is a step of a pipeline or a trial of a
/// sweep, and has no retries itself: its engine starts another job instead.
std::string retries_in_words(const Json& job, long long retries) {
  // Each failed pod counts, and the ranks of a job often fail together.
  if (is_plain_job(job) && api::completions_of(job, 1) > 1 && !api::retries_per_index(job) && retries > 0)
    return fmt::format("; {} failures of its pods used up its {}", api::failed_pods(job),
                       retries == 1 ? "only retry" : fmt::format("{} retries", retries));
  const bool has_engine = !api::label_of(job, api::kRun).empty() || !api::label_of(job, api::kSweep).empty();
  return retries > 1    ? fmt::format("; all {} retries are used up", retries)
         : retries == 1 ? "; its only retry is used up"
         : has_engine   ? ""
                        : "; no retries were requested";
}

/// The pod that failed first in the last attempt. Later failures may be its consequences, and pods that were
/// stopped with the job are. A pod that was cancelled is the last choice.
const Json* first_failed_pod(const Facts& facts) {
  const Replacements replaced(facts.job, facts.pods);
  const auto order = [&](const Json& pod) {
    return std::tuple(was_cancelled(pod), was_stopped_with_job(pod), replaced.has(pod),
                      basic_view_of_pod(pod).finished.value_or(Time::max()),
                      rank_of(pod, &facts.job).value_or(INT_MAX));
  };
  const Json* first = nullptr;
  for (const Json* pod : facts.pods)
    if (api::phase_of(*pod) == "Failed" && pod_cause(facts, *pod) && (!first || order(*pod) < order(*first)))
      first = pod;
  return first;
}

/// Why the first attempt in the place of this pod failed; empty if this was the first attempt.
std::optional<Cause> first_attempt_cause(const Facts& facts, const Json& last) {
  const Replacements replaced(facts.job, facts.pods);
  const Json* first = &last;
  for (const Json* pod : facts.pods)
    if (api::phase_of(*pod) == "Failed" && replaced.place_of(*pod) == replaced.place_of(last) &&
        replaced.has(*pod) && api::creation_text(*pod) < api::creation_text(*first))
      first = pod;
  return first == &last ? std::nullopt : pod_cause(facts, *first);
}

/// Joins the parts, and shortens a long list, because it is part of a sentence.
std::string first_of(std::vector<std::string> parts) {
  constexpr size_t kMost = 20;
  if (parts.size() <= kMost) return join(parts, ",");
  parts.resize(kMost);
  return join(parts, ",") + ",…";
}

/// The failed indexes ("0,2-5") or, for an array, the numbers of the failed tasks.
std::string indexes_of(const Json& job) {
  std::string text = api::failed_indexes(job);
  const auto numbers = task_numbers(api::pod_template_of(job));
  if (!numbers) return first_of(split(text, ','));
  const IndexRanges failed(text);
  std::vector<std::string> tasks;
  for (int index = 0; index < numbers->count(); ++index)
    if (failed.contains(index)) tasks.push_back(std::to_string(*numbers->at(index)));
  return first_of(std::move(tasks));
}

/// The pod that was the last to fail by itself before its job's time limit; null if any pod ran until the
/// limit.
const Json* failed_before(const Facts& facts, std::optional<Time> limit) {
  const Json* last = nullptr;
  for (const Json* pod : facts.pods) {
    const auto finished = basic_view_of_pod(*pod).finished;
    if (!limit || !finished || *finished >= *limit) return nullptr;
    if (api::phase_of(*pod) == "Failed" && (!last || *basic_view_of_pod(*last).finished < *finished))
      last = pod;
  }
  return last;
}

Cause time_limit_cause(const Facts& facts) {
  const std::chrono::seconds limit = time_limit_of(facts.job);
  const std::string its = limit.count() > 0 ? "its time limit of " + short_duration(limit) : "its time limit";
  Cause cause;
  if (ended_while_it_waited(facts.job, facts.pods)) {
    cause = make_cause(CauseCode::time_limit, std::string(kTimeLimitReached) + " while it waited",
                       its + " passed while it waited");
    cause.remedies = {{"submit it again with a time limit that is long enough for the wait, too",
                       "kml submit --time-limit TIME …"}};
    return cause;
  }
  cause = make_cause(CauseCode::time_limit, std::string(kTimeLimitReached), its + " was reached");
  if (const Json* pod = failed_before(facts, ends_by_limit(facts.job)))
    if (const auto failure = pod_cause(facts, *pod)) {
      cause.brief += " after " + failure->brief;
      cause.summary += " while it waited for its next attempt; the last one failed: " + failure->summary;
    }
  cause.remedies = {{"submit it again with more time", "kml submit --time-limit TIME …"}};
  return cause;
}

Cause failure_cause(const Facts& facts, const api::Condition& failed) {
  const Json& job = facts.job;
  const std::string told = told_by_description(job), reason = told.empty() ? failed.reason() : "",
                    message = told.empty() ? failed.message() : told;
  const Json* first = first_failed_pod(facts);
  const std::optional<Cause> pod = first ? pod_cause(facts, *first) : std::nullopt;
  const std::string by_pod = pod ? "; " + pod->summary : "";
  const auto made = [&](CauseCode code, const std::string& brief, const std::string& summary) {
    return make_cause(code, brief, summary);
  };
  const bool is_rank_given_up =
      reason == "MaxFailedIndexesExceeded" && api::retries_per_index(job) && !has_tasks(job);
  Cause cause;
  if (reason == "DeadlineExceeded") {
    cause = time_limit_cause(facts);
  } else if (reason == "PodFailurePolicy") {
    cause = made(
        CauseCode::policy_rule, pod ? pod->brief : "failed by its pod failure policy",
        "a rule of its pod failure policy made it fail" + (message.empty() ? "" : ": " + message) + by_pod);
  } else if (reason == "MaxFailedIndexesExceeded" && !is_rank_given_up) {
    const long long most = int_at(job, {"spec", "maxFailedIndexes"});
    cause =
        made(CauseCode::too_many_indexes_failed, "too many tasks failed: " + indexes_of(job),
             fmt::format("more than {} {} failed: {}", most, most == 1 ? "task" : "tasks", indexes_of(job)) +
                 by_pod);
  } else if (reason == "FailedIndexes") {
    const std::string tasks = indexes_of(job);
    const bool is_one = tasks.find_first_of(",-") == std::string::npos;
    const std::string subject = (is_one ? "task " : "tasks ") + tasks;
    if (first && was_cancelled(*first)) {  // so all failed pods were cancelled, see first_failed_pod()
      const std::string what = subject + (is_one ? " was cancelled" : " were cancelled");
      cause = made(CauseCode::indexes_failed, what, what);
    } else {
      cause = made(CauseCode::indexes_failed, subject + " failed", subject + " failed" + by_pod);
    }
  } else if (pod) {
    cause = *pod;
    if (const auto begin = first_attempt_cause(facts, *first); begin && begin->brief != pod->brief)
      cause.summary += "; the first attempt: " + begin->brief;
    const std::optional<long long> of_index = api::retries_per_index(job);
    const std::optional<long long> retries = of_index ? of_index : retries_of(job, first);
    if (retries && (reason == "BackoffLimitExceeded" || is_rank_given_up))
      cause.summary += retries_in_words(job, *retries);
  } else if (reason == "BackoffLimitExceeded" || is_rank_given_up) {
    cause = made(CauseCode::retries_used_up, "too many of its pods failed",
                 "too many of its pods failed, and those pods are deleted");
  } else {
    const std::string text = message.empty() ? reason : message;
    cause = made(CauseCode::failed, text, text.empty() ? "it failed" : "it failed: " + text);
  }
  cause.outlook = Outlook::failed;
  cause.object.clear();
  if (pod) cause.failure = pod->summary;
  if (pod) cause.exit_code = pod->exit_code;
  if (cause.code != CauseCode::time_limit && first && has_log(*first))
    cause.remedies.insert(cause.remedies.begin(),
                          {"read the end of its log", "kml logs " + api::name_of(job) + " --first-error"});
  const bool was_disrupted = cause.code == CauseCode::evicted || cause.code == CauseCode::preempted;
  if (was_disrupted && api::label_of(job, api::kManagedBy) == "kml")
    cause.remedies.push_back({"submit it again", "kml rerun " + api::name_of(job)});
  cause.message = message;
  return cause;
}

/// A job that was stopped by the cluster may have succeeded only because its command then exited with 0.
Cause success_cause(const Facts& facts) {
  Cause cause = make_cause(CauseCode::succeeded, "", "has succeeded");
  if (std::any_of(facts.pods.begin(), facts.pods.end(), [](const Json* pod) { return has_log(*pod); }))
    cause.remedies = {{"read its log", "kml logs " + api::name_of(facts.job)}};
  for (const Json* pod : facts.pods)
    if (const auto disruption = disruption_of(*pod); disruption && api::phase_of(*pod) == "Succeeded") {
      cause.summary += fmt::format(", but pod {} was {}: its command then exited with 0, which is a success",
                                   api::name_of(*pod), in_words(*disruption));
      cause.remedies.push_back(
          {"after SIGTERM, exit with another code, such as 143, so that the job is run again", ""});
      break;
    }
  return cause;
}

}  // namespace

std::optional<Cause> end_cause(const Facts& facts) {
  const Json& job = facts.job;
  const std::string name = api::name_of(job);
  const State state = state_of(job, false);
  if (state == State::succeeded) return success_cause(facts);
  if (state == State::cancelled) {
    const std::string since = api::annotation_of(job, api::kCancelled),
                      when = since.empty() ? "" : " at " + since;
    if (auto lost = lost_pods_cause(facts, "was cancelled" + when)) return lost;
    if (std::any_of(facts.pods.begin(), facts.pods.end(),
                    [](const Json* pod) { return api::phase_of(*pod) == "Running"; }))
      return Cause{CauseCode::stopping, Outlook::none, "stopping",
                   "was cancelled" + when + "; its pods are stopping"};
    Cause cause = make_cause(CauseCode::cancelled, "", "was cancelled" + when);
    cause.remedies = {{"submit it again", "kml rerun " + name}};
    return cause;
  }
  if (state == State::failed) return failure_cause(facts, api::condition(job, "Failed"));
  if (api::condition_is_true(job, "FailureTarget")) {
    Cause cause = failure_cause(facts, api::condition(job, "FailureTarget"));
    cause.code = CauseCode::failing;
    cause.summary += "; its last pods are stopping";
    return cause;
  }
  if (api::condition_is_true(job, "SuccessCriteriaMet"))
    return make_cause(CauseCode::finishing, "", "has succeeded; its last pods are stopping");
  return {};
}

}  // namespace kml::job
