#include "kml/job/views/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "job/views/time_limit.h"
#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

IndexRanges::IndexRanges(std::string_view text) {
  if (text.empty()) return;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const int first = std::atoi(part.c_str());
    ranges_.emplace_back(first, dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1));
  }
}

bool IndexRanges::contains(int index) const {
  const auto range = std::lower_bound(ranges_.begin(), ranges_.end(), index,
                                      [](const auto& each, int value) { return each.second < value; });
  return range != ranges_.end() && range->first <= index;
}

bool has_tasks(const Json& job) {
  const bool is_wave =
      !api::label_of(job, api::kSweep)
           .empty();  // whether the job is a wave of a sweep, which may allow no failed trials
  return api::retries_per_index(job) && (is_wave || int_at(job, {"spec", "maxFailedIndexes"}, 1) != 0);
}

namespace {

Json conditions_of(const char* type, const char* reason, std::optional<Time> when) {
  Json condition = {{"type", type}, {"status", "True"}, {"reason", reason}};
  if (when) condition.emplace("lastTransitionTime", rfc3339(*when));
  return Json::array({std::move(condition)});
}

/// A true condition of the job; nullptr if it has none.
const Json* find_condition(const Json& job, std::string_view type) {
  for (const Json& condition : api::conditions_of(job))
    if (string_at(condition, {"type"}) == type && string_at(condition, {"status"}) == "True")
      return &condition;
  return nullptr;
}

/// The completion index of a task. After `submit --array 5-9`, task numbers differ from Kubernetes' indexes.
int index_of(const Json& job, int task) {
  const auto numbers = task_numbers(api::pod_template_of(job));
  return numbers ? numbers->index_of(task).value_or(task) : task;
}

/// The status of the task, which replaces the status of the whole job.
Json status_of_task(const Json& job, int index, std::span<const Json* const> pods) {
  std::optional<Time> started, finished;
  for (const Json* pod : pods) {
    const PodView view = basic_view_of_pod(*pod);
    if (view.started && (!started || *view.started < *started)) started = view.started;
    finished = std::max(finished, view.finished);
  }
  const auto count = [&](const char* phase) {
    return std::count_if(pods.begin(), pods.end(),
                         [&](const Json* pod) { return api::phase_of(*pod) == phase; });
  };
  Json status = {{"ready", count("Running")},
                 {"active", count("Running") + count("Pending")},
                 {"succeeded", count("Succeeded")},
                 {"failed", count("Failed")}};
  if (started) status.emplace("startTime", rfc3339(*started));
  if (const Json* whole = find(job, {"status", "startTime"})) status.emplace(kStartOfWholeJob, *whole);
  if (IndexRanges(api::completed_indexes(job)).contains(index))
    status.emplace("conditions", conditions_of("Complete", "CompletionsReached", finished));
  else if (IndexRanges(api::failed_indexes(job)).contains(index))
    status.emplace("conditions", conditions_of("Failed", "BackoffLimitExceeded", finished));
  else if (const Json* ended = find_condition(job, "Failed"))  // before the task could start or end
    status.emplace("conditions", Json::array({*ended}));
  return status;
}

}  // namespace

std::string JobOrTask::name() const {
  return api::name_of(job) + (task ? "-" + std::to_string(*task) : "");
}

kube::ListOptions telling_pods(const JobOrTask& named) {
  constexpr int kFewTasks = 5'000;
  const std::string selector = pod_selector(named.job);
  if (!api::is_indexed(named.job) || api::completions_of(named.job) <= kFewTasks) return {selector, {}};
  if (named.task)
    return {fmt::format("{},{}={}", selector, api::kCompletionIndex, index_of(named.job, *named.task)), {}};
  return {selector, "status.phase!=Succeeded"};
}

std::optional<TaskName> parse_task_name(std::string_view text) {
  if (text.starts_with("job/") && text.find('-') != std::string_view::npos) text.remove_prefix(4);
  const size_t sign = text.find_last_of("-/");
  if (sign == std::string_view::npos || sign == 0) return {};
  const std::optional<int> number = whole_number(text.substr(sign + 1));
  if (!number) return {};
  return TaskName{std::string(text.substr(0, sign)), *number};
}

std::vector<const Json*> JobOrTask::own(std::span<const Json* const> pods) const {
  std::vector<const Json*> own(pods.begin(), pods.end());
  if (task) std::erase_if(own, [&](const Json* pod) { return rank_of(*pod, &job) != *task; });
  return own;
}

Json JobOrTask::as_job(std::span<const Json* const> pods) const {
  if (!task) return job;
  Json alone = job;
  alone.update({{"status", status_of_task(job, index_of(job, *task), pods)}});
  Json& spec = api::part_in(alone, "spec");
  spec.update({{"completions", 1}, {"parallelism", 1}});
  if (const Json* retries = find(job, {"spec", "backoffLimitPerIndex"}))
    spec["backoffLimit"] = *retries;  // replaces the server's default
  // `kml cancel arr-3` sets the annotation on the task's pod.
  if (const Json* pod = newest_of(pods))
    if (const std::string when = api::annotation_of(*pod, api::kCancelled); !when.empty())
      api::set_annotation(alone, api::kCancelled, when);
  return alone;
}

namespace {

/// The task's name if the text has the form of a rank's name, as for `kml exec`: "arr-3" for "arr/3".
std::optional<std::string> task_by_rank(std::string_view text) {
  const auto parts = split_kind(text);
  if (!parts || parts->kind || !whole_number(parts->name)) return {};
  return fmt::format("{}-{}", parts->word, parts->name);
}

}  // namespace

JobOrTask find_job_or_task(kube::Client& client, std::string_view namespace_name, std::string_view name) {
  if (const auto task = task_by_rank(name)) {
    if (auto found = find_index(client, namespace_name, *task)) return {std::move(found->job), found->index};
    return {find_job(client, namespace_name, *task)};
  }
  try {
    return {find_job(client, namespace_name, name)};
  } catch (const Error& error) {
    if (error.reason != "NotFound") throw;
    const std::string_view bare = name.starts_with("job/") ? name.substr(4) : name;
    if (auto found = find_index(client, namespace_name, bare)) return {std::move(found->job), found->index};
    throw;
  }
}

}  // namespace kml::job
