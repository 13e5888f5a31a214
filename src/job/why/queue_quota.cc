#include "job/why/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "job/capacity/kueue_api.h"
#include "job/why/causes.h"
#include "job/why/room.h"
#include "job/why/shared_quota.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

std::string of_flavor(const FlavorShortfall& shortfall, int64_t amount) {
  return amount_text(shortfall.amounts.resource, amount) + " of flavor " + shortfall.flavor;
}

/// How much of the resource all the Workload's pods request, in thousandths.
int64_t requested(const Json& workload, const std::string& resource) {
  int64_t all = 0;
  for (const Json& set : array_at(workload, {"spec", "podSets"})) {
    const api::Amounts requests = api::pod_requests(object_at(set, {"template", "spec"}));
    if (const auto found = requests.find(resource); found != requests.end())
      all += found->second * int_at(set, {"count"}, 1);
  }
  return all;
}

/// Kueue tries one flavor after another. Returns the flavor that could admit the job soonest: of the flavors
/// that are large enough for the job, the one that lacks the least quota now; if no flavor is large enough,
/// the largest one.
std::vector<FlavorShortfall> best_flavor(const std::vector<FlavorShortfall>& all) {
  std::map<std::string, std::vector<FlavorShortfall>> by_flavor;
  for (const FlavorShortfall& one : all) by_flavor[one.flavor].push_back(one);
  const auto is_over = [](const std::vector<FlavorShortfall>& flavor) {
    return std::any_of(flavor.begin(), flavor.end(),
                       [](const FlavorShortfall& one) { return one.is_over_maximum; });
  };
  const std::vector<FlavorShortfall>* best = nullptr;
  for (const auto& [name, flavor] : by_flavor) {
    const auto rank = [&](const std::vector<FlavorShortfall>& one) {
      return std::tuple(is_over(one), one.size(), one[0].amounts.missing);
    };
    if (!best || rank(flavor) < rank(*best)) best = &flavor;
  }
  std::vector<FlavorShortfall> found = best ? *best : std::vector<FlavorShortfall>();
  std::stable_partition(found.begin(), found.end(),
                        [](const FlavorShortfall& one) { return one.is_over_maximum; });
  return found;
}

/// Adds numbers to Kueue's message, which only has the missing amount. A queue's share of a cohort's
/// quota changes, so the maximum is only known without a cohort.
void complete(const Facts& facts, const Json& workload, FlavorShortfall& one) {
  Shortfall& amounts = one.amounts;
  if (one.is_over_maximum) return;
  amounts.asked = requested(workload, amounts.resource);
  amounts.free = std::max<int64_t>(amounts.asked - amounts.missing, 0);
  if (facts.cluster_queue && cohort_of(*facts.cluster_queue).empty())
    amounts.most = nominal_quota(*facts.cluster_queue, one.flavor, amounts.resource);
}

Cause too_large(const Json& workload, const FlavorShortfall& first) {
  const std::string queue = queue_name_of(workload);
  const Shortfall& amounts = first.amounts;
  Cause cause = make_cause(
      CauseCode::queue_too_large,
      fmt::format("queue has at most {}", amount_text(amounts.resource, amounts.most)),
      fmt::format("asks for {}, and queue {} never has more than {}",
                  amount_text(amounts.resource, amounts.asked), queue, of_flavor(first, amounts.most)));
  cause.priority = "priority cannot help: the job asks for more than the queue's maximum";
  if (amounts.most > 0)
    cause.remedies = {
        {fmt::format("submit it again with at most {} in all", amount_text(amounts.resource, amounts.most)),
         ""}};
  else
    cause.remedies = {{"use another queue", "kml list queues -n " + api::namespace_of(workload)}};
  return cause;
}

/// The priority that a Workload must exceed to preempt enough holders; empty if even all of them hold too
/// little.
std::optional<long long> priority_to_beat(std::vector<Holder> holders, int64_t missing) {
  std::stable_sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
    return a.priority.value_or(0) < b.priority.value_or(0);
  });
  for (const Holder& holder : holders) {
    missing -= holder.amount;
    if (missing <= 0) return holder.priority.value_or(0);
  }
  return {};
}

std::string priority_text(const Facts& facts, const Json& workload, const std::vector<Holder>& holders,
                          int64_t missing) {
  if (!facts.cluster_queue || holders.empty()) return {};
  const std::string policy =
      string_at(*facts.cluster_queue, {"spec", "preemption", "withinClusterQueue"}, "Never");
  if (policy == "Never") return "priority cannot help: this queue does not preempt";
  const std::optional<long long> above = priority_to_beat(holders, missing);
  return above ? fmt::format("a workload priority above {} could preempt; its own is {}", *above,
                             api::priority_of(workload))
               : "";
}

void add_remedy(const Facts& facts, const SharedQuota& shared, std::span<const FlavorShortfall> short_of,
                Cause& cause) {
  if (!facts.sees_all_workloads) return;
  const std::vector<Holder> enough = shared.fewest_to_free();
  if (!enough.empty())
    cause.remedies = {{fmt::format("wait, or free enough by {} {}", verb_to_free(enough),
                                   holders_text(enough, short_of[0].amounts.resource)),
                       command_to_free(enough, api::namespace_of(facts.job))}};
}

}  // namespace

std::string cluster_queue_of_workload(const Facts& facts, const Json& workload) {
  const auto is_its = [&](const Json& queue) {
    return api::name_of(queue) == queue_name_of(workload) &&
           api::namespace_of(queue) == api::namespace_of(workload);
  };
  if (facts.local_queue && is_its(*facts.local_queue)) return cluster_queue_of(*facts.local_queue);
  if (facts.local_queues)
    for (const Json& queue : *facts.local_queues)
      if (is_its(queue)) return cluster_queue_of(queue);
  return {};
}

bool waits_for_quota(const Json& workload) {
  return is_active(workload) && !api::condition_is_true(workload, "QuotaReserved") &&
         !api::condition_is_true(workload, "Finished");
}

bool may_be_admitted(const Json& workload) {
  const api::Condition reserved = api::condition(workload, "QuotaReserved");
  return make_cause(queue_code_of(reserved.reason(), reserved.message()), "", "").outlook != Outlook::never;
}

QueuePosition position_in_queue(const Facts& facts, const Json& own) {
  QueuePosition position;
  if (!facts.workloads || !facts.sees_all_workloads) return position;
  position.before = facts.waiting_before;
  position.all = facts.waiting_before + facts.waiting_behind;
  for (const Json& other : *facts.workloads) {
    if (queue_name_of(other) != queue_name_of(own) || api::namespace_of(other) != api::namespace_of(own) ||
        !waits_for_quota(other))
      continue;
    ++position.all;
    position.before += is_before_in_queue(other, own) ? 1 : 0;
  }
  return position;
}

std::optional<Cause> quota_cause(const Facts& facts, const Json& workload) {
  const api::Condition reserved = api::condition(workload, "QuotaReserved");
  std::vector<FlavorShortfall> short_of = best_flavor(parse_queue_message(reserved.message()));
  if (short_of.empty()) return {};
  for (FlavorShortfall& one : short_of) complete(facts, workload, one);
  const FlavorShortfall& first = short_of[0];
  const Shortfall& amounts = first.amounts;
  const std::string queue = queue_name_of(workload);
  Cause cause;
  if (first.is_over_maximum) {
    cause = too_large(workload, first);
  } else {
    const QueuePosition position = position_in_queue(facts, workload);
    cause = make_cause(
        CauseCode::queue_quota,
        fmt::format("needs {} more in queue {}", amount_text(amounts.resource, amounts.missing), queue),
        fmt::format("queue {} is full: needs {} more", queue, of_flavor(first, amounts.missing)) +
            (amounts.most > 0
                 ? fmt::format("; {} of {} are free", amount_number(amounts.resource, amounts.free),
                               amount_number(amounts.resource, amounts.most))
                 : "") +
            (position.all > 1 ? fmt::format("; number {} of {} waiting in queue {}", position.before + 1,
                                            position.all, queue)
                              : ""));
    if (facts.sees_all_workloads) {
      const SharedQuota shared(facts, workload, short_of);
      cause.holders = shared.holders();
      add_remedy(facts, shared, short_of, cause);
    }
    std::vector<Holder> own = cause.holders;  // of the job's own queue
    std::erase_if(own, [](const Holder& holder) { return !holder.queue.empty(); });
    cause.priority = priority_text(facts, workload, own, amounts.missing);
  }
  for (const FlavorShortfall& one : short_of) cause.shortfalls.push_back(one.amounts);
  cause.message = reserved.message();
  if (queue_code_of(reserved.reason(), reserved.message()) == CauseCode::queue_preempting) {
    cause.code = CauseCode::queue_preempting;
    cause.brief = "starts next: lower-priority jobs are being stopped";
    cause.summary = cause.brief + " for it; " + cause.summary;
    cause.remedies.clear();
  }
  return cause;
}

}  // namespace kml::job
