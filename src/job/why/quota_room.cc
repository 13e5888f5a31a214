#include "job/why/quota_room.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "job/why/room.h"
#include "job/why/start_order.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quota.h"

namespace kml::job {

using api::Amounts;

std::string resource_in_quota(const std::string& entry) {
  for (std::string_view prefix : {"requests.", "limits."})
    if (entry.starts_with(prefix)) return entry.substr(prefix.size());
  return entry == "count/pods" ? "pods" : entry;
}

std::optional<bool> counts_in_quota(const Json& quota, const Json& pod) {
  // Brief lists leave out the namespaces in rules about other pods.
  if (api::has_quota_scope(quota, "CrossNamespacePodAffinity") && find(pod, {"spec", "affinity"})) return {};
  return api::quota_counts(quota, pod);
}

std::vector<Json> missing_specs(const Facts& facts) {
  std::vector<Json> specs;
  each_pod_template(facts.job, [&](const Json& pod, int count) {
    for (int i = 0; i < count; ++i) specs.push_back(api::spec_of(pod));
  });
  const auto active = std::count_if(facts.pods.begin(), facts.pods.end(),
                                    [](const Json* pod) { return !api::pod_has_ended(*pod); });
  specs.resize(specs.size() - std::min(specs.size(), static_cast<size_t>(active)));
  return specs;
}

namespace {

Json pod_with(const Json& spec) {
  return {{"spec", spec}};
}

/// Admission may set the default class of a pod whose spec names none.
std::optional<bool> counts_once_made(const Json& quota, const Json& pod) {
  const bool has_class = !api::priority_class_in(api::spec_of(pod)).empty();
  if (!has_class && api::has_quota_scope(quota, "PriorityClass")) return {};
  return counts_in_quota(quota, pod);
}

/// Whether another job in the namespace needs a pod that may take the freed quota.
bool another_wants_it(const Facts& facts, const Json& quota, const std::vector<Shortfall>& shortfalls) {
  if (!facts.other_jobs) return true;
  return std::any_of(facts.other_jobs->begin(), facts.other_jobs->end(), [&](const Json& job) {
    const long long left = api::completions_of(job, 1) - api::succeeded_pods(job);
    if (api::name_of(job) == api::name_of(facts.job) || has_ended(state_of(job, false)) ||
        api::is_suspended(job) || api::active_pods(job) >= std::min(api::parallelism_of(job, 1), left))
      return false;
    const Json pod = pod_with(api::pod_spec_of(job));
    const Amounts usage = api::quota_usage_of_pod(pod);
    return counts_once_made(quota, pod) != false &&
           std::ranges::all_of(
               shortfalls, [&](const Shortfall& one) { return amount_of(usage, one.resource) <= one.most; });
  });
}

/// Compares what a quota allows with what would be needed once some jobs have ended.
class QuotaRoom {
 public:
  QuotaRoom(const Facts& facts, const Json& quota, const std::vector<Json>& specs)
      : hard_(api::amounts_of(object_at(quota, {"status", "hard"}))),
        needed_(api::amounts_of(object_at(quota, {"status", "used"}))) {
    for (const Json& spec : specs) api::add(needed_, api::quota_usage_of_pod(pod_with(spec)));
    for (const Json& pod : facts.active_pods.value_or(std::vector<Json>())) {
      if (api::namespace_of(pod) != api::namespace_of(facts.job)) continue;
      const std::optional<bool> counts = counts_in_quota(quota, pod);
      is_known_ = is_known_ && counts;
      if (counts.value_or(false)) api::add(held_[key_of(holder_of_pod(pod))], api::quota_usage_of_pod(pod));
    }
  }

  bool is_known() const { return is_known_; }

  bool is_enough_without(const std::vector<Holder>& ended) const {
    Amounts freed;
    for (const Holder& holder : ended)
      if (const auto held = held_.find(key_of(holder)); held != held_.end()) api::add(freed, held->second);
    return std::ranges::all_of(hard_, [&](const auto& entry) {
      return amount_of(needed_, entry.first) - amount_of(freed, entry.first) <= entry.second;
    });
  }

 private:
  Amounts hard_, needed_;
  std::map<JobKey, Amounts> held_;
  bool is_known_ = true;
};

}  // namespace

std::vector<Holder> holders_of_quota(const Facts& facts, const Json& quota, const std::string& entry) {
  std::vector<const Json*> counted;
  if (facts.active_pods)
    for (const Json& pod : *facts.active_pods)
      if (api::namespace_of(pod) == api::namespace_of(facts.job) &&
          counts_in_quota(quota, pod).value_or(false))
        counted.push_back(&pod);
  return holders_of(counted, [&](const Json& pod) { return amount_of(api::quota_usage_of_pod(pod), entry); });
}

std::vector<Holder> enough_for_quota(const Facts& facts, const Json& quota,
                                     const std::vector<Shortfall>& shortfalls) {
  const std::string& entry = shortfalls.at(0).resource;
  if (!facts.nodes || !facts.active_pods || entry.starts_with("limits.") ||
      another_wants_it(facts, quota, shortfalls))
    return {};
  const std::vector<Json> specs = missing_specs(facts);
  std::vector<QuotaRoom> quotas;
  for (const Json& one : facts.quotas.value_or(std::vector<Json>())) {
    const bool is_full_one = api::name_of(one) == api::name_of(quota);
    if (specs.empty() || (!is_full_one && counts_once_made(one, pod_with(specs[0])) == false)) continue;
    if (!quotas.emplace_back(facts, one, specs).is_known()) return {};
  }
  std::vector<const Json*> own;
  for (const Json& spec : specs) own.push_back(&spec);
  const std::vector<Room> rooms = rooms_of(*facts.nodes, *facts.active_pods);
  return StartOrder(facts, own, rooms)
      .fewest_to_end(resource_in_quota(entry), [&](const std::vector<Holder>& ended) {
        return std::ranges::all_of(quotas,
                                   [&](const QuotaRoom& one) { return one.is_enough_without(ended); });
      });
}

}  // namespace kml::job
