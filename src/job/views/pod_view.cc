#include "kml/job/views/pod_view.h"

#include <algorithm>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

std::string short_scheduler_message(std::string_view message) {
  constexpr std::string_view kNodes = " nodes are available: ";
  if (size_t at = message.find(kNodes); at != std::string_view::npos)
    message.remove_prefix(at + kNodes.size());
  for (std::string_view tail : {". preemption:", ". no new claims", ". not found"})
    if (size_t at = message.find(tail); at != std::string_view::npos) message = message.substr(0, at);
  while (message.ends_with('.')) message.remove_suffix(1);
  return std::string(message);
}

bool is_on_lost_node(const Json& pod) {
  if (api::phase_of(pod) != "Running") return false;
  const api::Condition ready = api::condition(pod, "Ready");
  return ready && !ready.is_true() && ready.reason() != "ReadinessGatesNotReady" &&
         !api::condition(pod, "ContainersReady").is_false();
}

bool waits_for_node(const Json& pod) {
  return api::node_of(pod).empty() && api::phase_of(pod) == "Pending" && !api::is_being_deleted(pod) &&
         api::condition(pod, "PodScheduled").reason() != "SchedulingGated";
}

bool is_reason_of_job(std::string_view reason) {
  constexpr std::string_view kReasons[] = {"BackoffLimitExceeded", "PodFailurePolicy",
                                           "MaxFailedIndexesExceeded", "FailedIndexes"};
  return std::ranges::find(kReasons, reason) != std::end(kReasons);
}

const Json* crash_before_stop(const Json& pod) {
  if (api::phase_of(pod) != "Failed" || !is_reason_of_job(api::status_reason(pod))) return nullptr;
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& status : api::container_statuses(pod, list))
      if (const Json* last = api::last_terminated_in(status); last && api::exit_code_of(*last) != 0)
        return last;
  return nullptr;
}

PodView basic_view_of_pod(const Json& pod) {
  PodView view;
  view.name = api::name_of(pod);
  view.phase = api::phase_of(pod);
  view.node = api::node_of(pod);
  view.started = api::started_at(pod);
  bool ended = api::pod_has_ended(pod);
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& container : api::container_statuses(pod, list)) {
      const Json* terminated = api::terminated_in(container);
      if (!terminated) continue;
      if (list == "containerStatuses")
        view.finished = std::max(view.finished, api::time_at(*terminated, {"finishedAt"}));
      int code = api::exit_code_of(*terminated);
      if (view.exit_code && (*view.exit_code != 0 || code == 0)) continue;
      if (list == "initContainerStatuses" && code == 0) continue;
      view.exit_code = code;
    }
  if (const Json* crash = crash_before_stop(pod)) view.exit_code = api::exit_code_of(*crash);
  if (api::is_being_deleted(pod) && !ended) view.phase = "Stopping";
  if (is_on_lost_node(pod)) view.phase = "Unknown";
  return view;
}

namespace {

bool has_master(const Json& job) {
  return find(job, {"spec", "pytorchReplicaSpecs", "Master"}) != nullptr;
}

/// The task number of a pod in an array. For other pods of an Indexed Job, the index.
std::optional<int> task_of(const Json& pod) {
  const std::optional<int> index = whole_number(api::label_of(pod, api::kCompletionIndex));
  const auto numbers = index ? task_numbers(pod) : std::nullopt;
  return numbers ? numbers->at(*index) : index;
}

/// "worker-3", by the labels that the description names; empty without them.
std::string described_index(const Json& pod) {
  const JobKind* kind = described_kind_of_pod(pod);
  std::string index;
  if (kind)
    for (const std::string& label : kind->index_labels)
      index += (index.empty() ? "" : "-") + api::label_of(pod, label);
  return index;
}

/// The number of a pod among the pods of its job, if all of these have the same pod template. Of several
/// labels, the last one may have the same number in several groups of pods; only the templates show how many
/// groups there are.
std::optional<int> described_rank(const Json& pod, const Json* job) {
  const JobKind* kind = described_kind_of_pod(pod);
  if (!kind || kind->index_labels.empty()) return {};
  int templates = 0;
  if (job) each_pod_template(*job, [&templates](const Json&, int) { ++templates; });
  const bool may_have_groups = job && templates == 0 && kind->index_labels.size() > 1;
  if (templates > 1 || may_have_groups) return {};
  return whole_number(api::label_of(pod, kind->index_labels.back()));
}

}  // namespace

std::optional<spec::TaskNumbers> task_numbers(const Json& pod) {
  const std::string text = api::annotation_of(pod, api::kTasks);
  auto numbers = spec::TaskNumbers::parse(text);
  if (text.empty() || !std::holds_alternative<spec::TaskNumbers>(numbers)) return {};
  return std::get<spec::TaskNumbers>(std::move(numbers));
}

std::string index_in_job(const Json& pod) {
  const std::optional<int> task = task_of(pod);
  std::string index = task ? std::to_string(*task) : "";
  if (std::string type = api::label_of(pod, api::kReplicatedJobName); !type.empty())
    return type + "-" + api::label_of(pod, api::kJobIndex) + (index.empty() ? "" : "-" + index);
  if (std::string type = api::label_of(pod, api::kReplicaType); !type.empty())
    return type + "-" + api::label_of(pod, api::kReplicaIndex);
  const std::string role = api::label_of(pod, api::kJobRole), number = api::label_of(pod, api::kReplicaIndex);
  if (!role.empty()) return number.empty() ? role : role + "-" + number;
  return index.empty() ? described_index(pod) : index;
}

std::string short_pod_name(const Json& pod, std::string_view job_name) {
  if (std::string index = index_in_job(pod); !index.empty()) return index;
  std::string name = api::name_of(pod);
  if (name.starts_with(std::string(job_name) + "-")) return name.substr(job_name.size() + 1);
  return name;
}

std::optional<int> rank_of(const Json& pod, const Json* job) {
  if (const std::string type = api::label_of(pod, api::kReplicaType); !type.empty()) {
    auto rank = whole_number(api::label_of(pod, api::kReplicaIndex));
    if (rank && type == "worker" && (!job || has_master(*job))) ++*rank;
    return rank;
  }
  if (const std::optional<int> task = task_of(pod)) return task;
  if (const std::optional<int> rank = described_rank(pod, job)) return rank;
  if (!job) return {};
  int pods = 0;
  each_pod_template(*job, [&pods](const Json&, int count) { pods += count; });
  return pods == 1 ? std::optional(0) : std::nullopt;
}

const Json* newest_of(std::span<const Json* const> pods) {
  const Json* newest = nullptr;
  for (const Json* pod : pods)
    if (!newest || api::creation_text(*newest) <= api::creation_text(*pod)) newest = pod;
  return newest;
}

int Attempts::number_of(const std::string& place, const std::string& uid) {
  std::vector<std::string>& uids = uids_[place];
  auto found = std::find(uids.begin(), uids.end(), uid);
  if (found == uids.end()) found = uids.insert(uids.end(), uid);
  return static_cast<int>(found - uids.begin()) + 1;
}

}  // namespace kml::job
