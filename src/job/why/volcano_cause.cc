#include <fmt/format.h>

#include <algorithm>

#include "job/why/causes.h"
#include "job/why/room.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

bool is_owned_by(const Json& object, const std::string& uid) {
  const Json& owners = api::owners_of(object);
  return std::any_of(owners.begin(), owners.end(),
                     [&](const Json& owner) { return api::entry_uid(owner) == uid; });
}

const Json* pod_group_of(const Facts& facts) {
  if (!facts.pod_groups) return nullptr;
  for (const Json& group : *facts.pod_groups)
    if (is_owned_by(group, api::uid_of(facts.job))) return &group;
  return nullptr;
}

/// What all pods of the job request. A PodGroup's minResources leaves out what is only limited.
api::Amounts requests_of_job(const Json& job) {
  api::Amounts all;
  each_pod_template(job, [&](const Json& pod, int count) {
    for (const auto& [resource, amount] : api::pod_requests(api::spec_of(pod)))
      all[resource] += amount * count;
    all["pods"] += int64_t{1000} * count;
  });
  return all;
}

/// The jobs with pods in the queue, and what these request of the resource.
std::vector<Holder> holders_of_volcano_queue(const Facts& facts, const std::string& queue,
                                             const std::string& resource) {
  std::vector<Holder> holders;
  for (const Json& group : *facts.pod_groups) {
    const Json* owner = api::controller_of(group);
    if (!owner || string_at(group, {"spec", "queue"}) != queue || is_owned_by(group, api::uid_of(facts.job)))
      continue;
    Holder holder{shown_kind(*owner), api::namespace_of(group), api::entry_name(*owner)};
    for (const Json& pod : facts.active_pods.value_or(std::vector<Json>{})) {
      const Json* controller = api::controller_of(pod);
      if (!controller || api::entry_uid(*controller) != api::entry_uid(*owner) || api::node_of(pod).empty())
        continue;
      const api::Amounts requests = api::pod_requests(api::spec_of(pod));
      if (const auto found = requests.find(resource); found != requests.end()) holder.amount += found->second;
    }
    if (holder.amount > 0) holders.push_back(std::move(holder));
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.amount > b.amount; });
  return holders;
}

/// What is used of the queue's resource. Volcano updates the queue's status a moment after its pods.
int64_t used_of_queue(const Facts& facts, const std::string& queue, const std::string& resource) {
  const api::Amounts told = api::amounts_of(object_at(*facts.volcano_queue, {"status", "allocated"}));
  int64_t seen = 0;
  for (const Holder& holder : holders_of_volcano_queue(facts, queue, resource)) seen += holder.amount;
  const auto found = told.find(resource);
  return std::max(found == told.end() ? 0 : found->second, seen);
}

Cause queue_is_full(const Facts& facts, const std::string& queue, const Shortfall& amounts) {
  Cause cause = make_cause(
      CauseCode::queue_quota,
      fmt::format("needs {} more in queue {}", amount_text(amounts.resource, amounts.missing), queue),
      fmt::format("queue {} of Volcano has {}, and {} of them are used: needs {} more", queue,
                  amount_text(amounts.resource, amounts.most), (amounts.most - amounts.free) / 1000,
                  amount_text(amounts.resource, amounts.missing)));
  cause.shortfalls = {amounts};
  cause.holders = holders_of_volcano_queue(facts, queue, amounts.resource);
  int64_t freed = 0;
  std::vector<Holder> enough;
  for (const Holder& holder : cause.holders) {
    if (freed >= amounts.missing) break;
    freed += holder.amount;
    enough.push_back(holder);
  }
  if (freed >= amounts.missing)
    cause.remedies = {{"wait, or free enough by cancelling " + holders_text(enough, amounts.resource),
                       command_to_free(enough, api::namespace_of(facts.job))}};
  return cause;
}

/// Whether the queue's capability is too small for the job, or used up.
std::optional<Cause> capability_cause(const Facts& facts, const std::string& queue) {
  const api::Amounts most = api::amounts_of(object_at(*facts.volcano_queue, {"spec", "capability"}));
  for (const auto& [resource, asked] : requests_of_job(facts.job)) {
    const auto limit = most.find(resource);
    if (limit == most.end()) continue;
    const int64_t free = std::max<int64_t>(limit->second - used_of_queue(facts, queue, resource), 0);
    const Shortfall amounts{resource, asked, limit->second, free, asked - free};
    if (asked > limit->second) {
      Cause cause =
          make_cause(CauseCode::queue_too_large,
                     fmt::format("queue has at most {}", amount_text(resource, limit->second)),
                     fmt::format("asks for {}, and queue {} of Volcano never has more than {}",
                                 amount_text(resource, asked), queue, amount_text(resource, limit->second)));
      cause.shortfalls = {amounts};
      return cause;
    }
    if (asked > free) return queue_is_full(facts, queue, amounts);
  }
  return {};
}

}  // namespace

std::string volcano_queue_of(const Facts& facts) {
  const Json* group = pod_group_of(facts);
  return group ? string_at(*group, {"spec", "queue"}, "default") : "";
}

bool is_scheduled_by_volcano(const Json& job) {
  bool is_its = false;
  each_pod_template(job, [&](const Json& pod, int) {
    is_its = is_its || string_at(pod, {"spec", "schedulerName"}) == "volcano";
  });
  return is_its || api::api_version_of(job).starts_with("batch.volcano.sh/");
}

std::optional<Cause> volcano_cause(const Facts& facts) {
  const Json* group = pod_group_of(facts);
  const std::string phase = group ? string_at(*group, {"status", "phase"}) : "";
  if (!group || phase == "Running" || phase == "Completed") return {};
  const std::string queue = volcano_queue_of(facts);
  const std::string told = api::condition(*group, "Unschedulable").message();
  std::optional<Cause> cause;
  if (facts.volcano_queue_is_missing) {
    cause = make_cause(CauseCode::queue_missing, "queue " + queue + " does not exist",
                       "its queue " + queue + " of Volcano does not exist");
  } else if (facts.volcano_queue) {
    const std::string state = string_at(*facts.volcano_queue, {"status", "state"});
    if (state == "Closed" || state == "Closing")
      cause = make_cause(CauseCode::queue_stopped, "queue " + queue + " is closed",
                         "its queue " + queue + " of Volcano is closed");
    else
      cause = capability_cause(facts, queue);
  }
  if (cause) cause->message = told;
  return cause;
}

}  // namespace kml::job
