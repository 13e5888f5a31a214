#include <fmt/format.h>

#include <algorithm>

#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The number that follows a text; empty if the text is missing.
std::optional<int64_t> number_after(std::string_view text, std::string_view before) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  return whole_number(std::string(text.substr(0, digits)));
}

constexpr std::string_view kMinimum = "minCount (";

/// The scheduler's message about the pod; empty if there is none.
std::string scheduler_message(const Json& pod) {
  const api::Condition scheduled = api::condition(pod, "PodScheduled");
  return scheduled ? scheduled.message() : "";
}

bool is_of_group(const Json& pod, const std::string& group) {
  return api::pod_group_of(pod) == group;
}

}  // namespace

bool starts_as_gang(const Facts& facts) {
  return !api::annotation_of(facts.job, api::kPodGroup).empty() ||
         std::any_of(facts.pods.begin(), facts.pods.end(), [](const Json* pod) {
           return tells_of_native_gang(*pod) || !api::annotation_of(*pod, api::kGangSize).empty();
         });
}

bool tells_of_native_gang(const Json& pod) {
  return contains(scheduler_message(pod), kMinimum);
}

bool tells_of_placements(const Json& pod) {
  return contains(scheduler_message(pod), " placements are available");
}

/// Reads the messages of pkg/scheduler/schedule_one_podgroup.go in Kubernetes 1.37: "minCount (6) cannot be
/// satisfied: 4 scheduled, 1 remaining". Only the first pod without room has the reason in its own condition.
std::optional<GangState> gang_state(const Facts& facts, const Json& pod) {
  const std::string group = api::pod_group_of(pod);  // a pod from a brief list has no group
  GangState state;
  for (const Json* other : facts.pods) {
    if (!is_of_group(*other, group)) continue;
    const std::string message = scheduler_message(*other);
    if (const auto size = number_after(message, kMinimum)) {
      state.size = *size;
      state.with_room = number_after(message, "cannot be satisfied: ").value_or(0);
    } else if (!message.empty()) {
      state.reason = message;
    }
  }
  if (state.size == 0) return {};
  return state;
}

namespace {

int64_t pods_of_templates(const Json& job) {
  int64_t all = 0;
  each_pod_template(job, [&](const Json&, int count) { all += count; });
  return all;
}

std::string gang_shortage(int64_t missing) {
  return fmt::format("its gang is short of {} pod{}", missing, missing == 1 ? "" : "s");
}

/// Without the PodGroup, which tables do not read: kml makes PodGroups that require all pods of the job.
std::optional<Cause> gang_without_all_pods(const Facts& facts) {
  if (api::annotation_of(facts.job, api::kPodGroup).empty()) return {};
  const int64_t size = pods_of_templates(facts.job);
  const int64_t present =
      std::ranges::count_if(facts.pods, [](const Json* pod) { return !api::pod_has_ended(*pod); });
  if (present >= size) return {};
  const std::string lack = gang_shortage(size - present);
  return make_cause(CauseCode::gang_incomplete, lack,
                    fmt::format("{}: its {} pods only start together, but only {} exist{}", lack, size,
                                present, present == 1 ? "s" : ""));
}

}  // namespace

/// Until the PodGroup and all its pods exist, the scheduler does not examine the pods, so they have no
/// condition.
std::optional<Cause> incomplete_gang_cause(const Facts& facts, const Json& pod) {
  if (!facts.native_groups) return gang_without_all_pods(facts);
  const std::string group = api::pod_group_of(pod);
  if (group.empty()) return {};
  const auto found = std::find_if(facts.native_groups->begin(), facts.native_groups->end(),
                                  [&](const Json& one) { return api::name_of(one) == group; });
  if (found == facts.native_groups->end()) {
    Cause cause = make_cause(CauseCode::gang_incomplete, "PodGroup " + group + " does not exist",
                             "its pods wait for PodGroup " + group + ", which does not exist");
    cause.outlook = Outlook::never;
    cause.remedies = {{"create the PodGroup, or submit it again without schedulingGroup in its pods", ""}};
    return cause;
  }
  const int64_t size = int_at(*found, {"spec", "schedulingPolicy", "gang", "minCount"});
  const int64_t present = std::count_if(facts.pods.begin(), facts.pods.end(), [&](const Json* other) {
    return is_of_group(*other, group) && !api::pod_has_ended(*other);
  });
  if (present >= size) return {};
  const std::string lack = gang_shortage(size - present);
  Cause cause =
      make_cause(CauseCode::gang_incomplete, lack,
                 fmt::format("{}: PodGroup {} requires {} pods to start together, but only {} exist{}", lack,
                             group, size, present, present == 1 ? "s" : ""));
  cause.remedies = {
      {fmt::format("submit it again with {} pods, or lower minCount of PodGroup {}", size, group), ""}};
  return cause;
}

bool has_independent_pods(const Json& job) {
  return is_plain_job(job) && !api::is_gang(job);
}

bool starts_pod_by_pod(const Facts& facts) {
  return is_plain_job(facts.job) && !starts_as_gang(facts);
}

void blame_own_pods(const Facts& facts, size_t count, Cause& cause) {
  if (starts_pod_by_pod(facts)) {
    cause.brief = "its other pods come first";
    cause.summary = fmt::format(
        "{} of its pods wait until its other pods have ended: the nodes have no room for more pods at once",
        count);
    return;
  }
  cause.code = CauseCode::too_large;
  cause.outlook = Outlook::never;
  cause.brief = "no room for all its pods at once";
  cause.summary = fmt::format("{} of its pods would not fit even if no other job were running", count);
  cause.holders.clear();  // the job would not fit even without these holders
  cause.priority = "priority cannot help: the job's own pods are in the way";
  cause.remedies = {{"submit it again with fewer nodes, or request less per pod", "kml submit --nodes N …"}};
}

}  // namespace kml::job
