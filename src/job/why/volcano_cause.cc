#include <fmt/format.h>

#include <algorithm>

#include "job/capacity/volcano_api.h"
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

/// What all pods of the job request. A PodGroup's minResources lacks resources that have only a limit.
api::Amounts requests_of_job(const Json& job) {
  api::Amounts all;
  each_pod_template(job, [&](const Json& pod, int count) {
    for (const auto& [resource, amount] : api::pod_requests(api::spec_of(pod)))
      all[resource] += amount * count;
    all["pods"] += int64_t{1000} * count;
  });
  return all;
}

/// A job that uses the queue.
struct QueueUser {
  Holder holder;
  bool is_promised = false;  ///< the job has no pods yet, but Volcano keeps the amount for it
};

/// How much of the resource the placed pods of a PodGroup's owner request.
int64_t placed_amount(const Facts& facts, const Json& owner, const std::string& resource) {
  int64_t amount = 0;
  for (const Json& pod : facts.active_pods.value_or(std::vector<Json>{})) {
    const Json* controller = api::controller_of(pod);
    if (!controller || api::entry_uid(*controller) != api::entry_uid(owner) || api::node_of(pod).empty())
      continue;
    const api::Amounts requests = api::pod_requests(api::spec_of(pod));
    if (const auto found = requests.find(resource); found != requests.end()) amount += found->second;
  }
  return amount;
}

/// The other jobs that use the queue's resource, the largest first.
std::vector<QueueUser> users_of_queue(const Facts& facts, const std::string& queue,
                                      const std::string& resource) {
  std::vector<QueueUser> users;
  for (const Json& group : *facts.pod_groups) {
    const Json* owner = api::controller_of(group);
    if (!owner || string_at(group, {"spec", "queue"}) != queue || is_owned_by(group, api::uid_of(facts.job)))
      continue;
    QueueUser user{{shown_kind(*owner), api::namespace_of(group), api::entry_name(*owner)}};
    user.holder.amount = placed_amount(facts, *owner, resource);
    const api::Amounts least = api::amounts_of(object_at(group, {"spec", "minResources"}));
    const auto promised = least.find(resource);
    if (user.holder.amount == 0 && promised != least.end() && api::phase_of(group) == "Inqueue") {
      user.holder.amount = promised->second;
      user.is_promised = true;
    }
    if (user.holder.amount > 0) users.push_back(std::move(user));
  }
  std::stable_sort(users.begin(), users.end(),
                   [](const QueueUser& a, const QueueUser& b) { return a.holder.amount > b.holder.amount; });
  return users;
}

/// How much of the queue's resource is in use. Volcano updates the queue's status a moment after its pods.
int64_t used_amount(const Facts& facts, const std::vector<QueueUser>& users, const std::string& resource) {
  const api::Amounts told = api::amounts_of(object_at(*facts.volcano_queue, {"status", "allocated"}));
  int64_t seen = 0;
  for (const QueueUser& user : users) seen += user.holder.amount;
  const auto found = told.find(resource);
  return std::max(found == told.end() ? 0 : found->second, seen);
}

/// The largest users that hold enough together. If Volcano keeps an amount for a plain Job without
/// pods, cancelling the Job is not enough: Volcano 1.10 keeps the amount until the Job is deleted.
void add_remedy(const Facts& facts, const std::vector<QueueUser>& users, const Shortfall& amounts,
                Cause& cause) {
  int64_t freed = 0;
  std::vector<Holder> enough;
  bool any_promised = false;
  for (const QueueUser& user : users) {
    if (freed >= amounts.missing) break;
    freed += user.holder.amount;
    enough.push_back(user.holder);
    any_promised = any_promised || user.is_promised;
  }
  if (freed < amounts.missing) return;
  std::string command = command_to_free(enough, api::namespace_of(facts.job));
  constexpr std::string_view kCancel = "kml cancel";
  if (any_promised && command.starts_with(kCancel)) command.replace(0, kCancel.size(), "kml delete");
  cause.remedies = {
      {fmt::format("wait, or free enough by {} {}", any_promised ? "deleting" : verb_to_free(enough),
                   holders_text(enough, amounts.resource)),
       std::move(command)}};
}

Cause queue_is_full(const Facts& facts, const std::string& queue, const std::vector<QueueUser>& users,
                    const Shortfall& amounts) {
  Cause cause = make_cause(
      CauseCode::queue_quota,
      fmt::format("needs {} more in queue {}", amount_text(amounts.resource, amounts.missing), queue),
      fmt::format("Volcano queue {} has {}, and {} are used: needs {} more", queue,
                  amount_text(amounts.resource, amounts.most),
                  amount_text(amounts.resource, amounts.most - amounts.free),
                  amount_text(amounts.resource, amounts.missing)));
  cause.shortfalls = {amounts};
  for (const QueueUser& user : users) cause.holders.push_back(user.holder);
  add_remedy(facts, users, amounts, cause);
  return cause;
}

/// Whether the queue's capability is too small for the job, or used up.
std::optional<Cause> capability_cause(const Facts& facts, const std::string& queue) {
  const api::Amounts most = api::amounts_of(object_at(*facts.volcano_queue, {"spec", "capability"}));
  for (const auto& [resource, asked] : requests_of_job(facts.job)) {
    const auto limit = most.find(resource);
    if (limit == most.end()) continue;
    const std::vector<QueueUser> users = users_of_queue(facts, queue, resource);
    const int64_t free = std::max<int64_t>(limit->second - used_amount(facts, users, resource), 0);
    const Shortfall amounts{resource, asked, limit->second, free, asked - free};
    if (asked > limit->second) {
      Cause cause =
          make_cause(CauseCode::queue_too_large,
                     fmt::format("queue has at most {}", amount_text(resource, limit->second)),
                     fmt::format("asks for {}, and Volcano queue {} never has more than {}",
                                 amount_text(resource, asked), queue, amount_text(resource, limit->second)));
      cause.shortfalls = {amounts};
      return cause;
    }
    if (asked > free) return queue_is_full(facts, queue, users, amounts);
  }
  return {};
}

}  // namespace

std::string volcano_queue_of(const Facts& facts) {
  const Json* group = pod_group_of(facts);
  return group ? string_at(*group, {"spec", "queue"}, "default") : "";
}

bool is_scheduled_by_volcano(const Facts& facts) {
  const auto is_its = [](const Json& pod) { return string_at(pod, {"spec", "schedulerName"}) == "volcano"; };
  bool any = std::any_of(facts.pods.begin(), facts.pods.end(), [&](const Json* pod) { return is_its(*pod); });
  each_pod_template(facts.job, [&](const Json& pod, int) { any = any || is_its(pod); });
  // For a job with a schedulingPolicy, the training operator makes a PodGroup, and makes pods only once the
  // PodGroup may run.
  return any || api::api_version_of(facts.job).starts_with("batch.volcano.sh/") ||
         !object_at(facts.job, {"spec", "runPolicy", "schedulingPolicy"}).empty();
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
                       "its Volcano queue " + queue + " does not exist");
  } else if (facts.volcano_queue) {
    if (is_closed(*facts.volcano_queue))
      cause = make_cause(CauseCode::queue_stopped, "queue " + queue + " is closed",
                         "its Volcano queue " + queue + " is closed");
    else
      cause = capability_cause(facts, queue);
  }
  if (cause) cause->message = told;
  return cause;
}

}  // namespace kml::job
