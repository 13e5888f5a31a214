#include "job/why/held_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <iterator>
#include <tuple>

#include "job/why/causes.h"
#include "job/why/start_order.h"
#include "kml/base/text.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

using api::Amounts;

std::string names_of_jobs(const std::vector<Holder>& jobs) {
  std::vector<std::string> names;
  for (const Holder& job : jobs) names.push_back(job.name);
  return some_of(names);
}

/// The shortages on the node that lacks the least, because these numbers help the most.
std::vector<Shortfall> shortfalls_on(const Choice& choice, const Amounts& requests) {
  std::vector<Shortfall> nearest;
  for (const Room* room : choice.rooms) {
    std::vector<Shortfall> here;
    for (const std::string& name : by_value(requests))
      if (const int64_t asked = requests.at(name), free = amount_of(room->free, name); free < asked)
        here.push_back({name, asked, amount_of(room->total, name), free, asked - free});
    const auto worth = [](const std::vector<Shortfall>& list) {
      return list.empty() ? std::tuple(size_t{SIZE_MAX}, std::string(), int64_t{0})
                          : std::tuple(list.size(), list[0].resource, list[0].missing);
    };
    if (!here.empty() && worth(here) < worth(nearest)) nearest = std::move(here);
  }
  return nearest;
}

/// Which priority would preempt the holders: the job's own, or a higher one.
std::string priority_text(const Facts& facts, const std::vector<const Json*>& specs,
                          std::vector<Room> rooms) {
  // The job's own pods keep their room, whatever their priority is.
  for (Room& room : rooms) std::erase_if(room.pods, [&](const Json* pod) { return is_own_pod(facts, *pod); });
  const auto in_the_way = priority_in_the_way(specs, rooms);
  if (!in_the_way) return {};
  const long long own = int_at(*specs[0], {"priority"});
  const bool preempts = api::may_preempt(*specs[0]);
  if (*in_the_way < own)
    return preempts
               ? fmt::format("its priority, {}, is enough to preempt pods of priority {}", own, *in_the_way)
               : fmt::format("its priority, {}, would be enough, but its priority class does not preempt",
                             own);
  std::string known = "but no priority class is that high";
  long long lowest = LLONG_MAX;
  if (!facts.priorities) known.clear();
  for (const Json& item : facts.priorities.value_or(std::vector<Json>{})) {
    constexpr long long kHighestOfUsers = 1'000'000'000;
    const long long value = int_at(item, {"value"});
    if (value <= *in_the_way || value >= lowest || value > kHighestOfUsers || !api::may_preempt(item))
      continue;
    lowest = value;
    known = fmt::format("and --priority {} has {}", api::name_of(item), value);
  }
  return fmt::format("a priority above {} could preempt{}; its own is {}", *in_the_way,
                     known.empty() ? "" : ", " + known, own);
}

/// Adds which jobs start before this job, and which jobs to cancel so that this job is next. If cancelling
/// cannot help, the job can only wait: a different job may take what others free.
void add_order(const Facts& facts, const std::vector<const Json*>& specs, const std::vector<Room>& rooms,
               const std::string& resource, Cause& cause) {
  const StartOrder order(facts, specs, rooms);
  cause.ahead = order.ahead();
  cause.position = order.size() == 0 ? 0 : static_cast<int>(cause.ahead.size()) + 1;
  if (!cause.ahead.empty())
    cause.order = fmt::format("number {} of the {} jobs that wait for a node, after {}", cause.position,
                              order.size(), names_of_jobs(cause.ahead));
  if (!cause.order.empty()) cause.summary += "; " + cause.order;
  if (order.starts_by_itself()) {
    cause.outlook = Outlook::starting;
    cause.summary += "; it starts once the pods that are stopping have stopped";
    return;
  }
  const std::vector<Holder> enough = order.fewest_to_end(resource);
  const std::string where = api::namespace_of(facts.job);
  if (enough.empty()) {
    cause.remedies = {{"wait", ""}};
    return;
  }
  const auto held_by = [&](const Holder& holder) {
    std::vector<std::pair<std::string, int64_t>> amounts;
    for (const Shortfall& one : cause.shortfalls)
      amounts.emplace_back(one.resource, order.amount_of(holder, one.resource));
    return amounts_text(amounts);
  };
  std::string text =
      fmt::format("wait, or free enough by {} {}", verb_to_free(enough), holders_text(enough, held_by));
  if (const std::vector<Holder> rivals = order.rivals(enough); !rivals.empty())
    text +=
        fmt::format("; {} would fit, too, and may start first: the scheduler retries a pod up to 10 s late",
                    names_of_jobs(rivals));
  if (order.preempts_after(enough)) text += "; it then preempts lower-priority pods";
  cause.remedies = {{std::move(text), command_to_free(enough, where)}};
}

/// How much is free on a node, and what a pod asks for.
std::string numbers_text(const Shortfall& first) {
  const std::string& name = first.resource;
  return fmt::format("a pod asks for {}; at most {} of {} are free on a node", amount_text(name, first.asked),
                     amount_number(name, first.free), amount_text(name, first.most));
}

/// Adds up what is free on all suitable nodes. The room of the `placed` pods is free, too: a gang's pods do
/// not start alone.
std::string numbers_of_gang(const Facts& facts, const Choice& choice, const std::vector<const Json*>& placed,
                            size_t size, Shortfall& first) {
  const std::string& name = first.resource;
  first.free = first.most = 0;
  for (const Room* room : choice.rooms) {
    first.free += amount_of(room->free, name);
    first.most += amount_of(room->total, name);
  }
  for (const Json* spec : placed) first.free += amount_of(api::pod_requests(*spec), name);
  first.free = std::min(first.free, first.most);
  const bool starts_together = std::ranges::any_of(
      facts.pods, [](const Json* pod) { return !api::annotation_of(*pod, api::kGangSize).empty(); });
  return fmt::format("a pod asks for {}; {} of {} are free, enough for {} of its {} pods{}",
                     amount_text(name, first.asked), amount_number(name, first.free),
                     amount_text(name, first.most), placed.size(), size,
                     starts_together ? ", which only start together" : "");
}

}  // namespace

Cause held_cause(const Facts& facts, const Choice& choice, std::vector<const Json*> specs,
                 std::vector<const Json*> placed, const std::vector<Room>& rooms, const Amounts& requests) {
  const size_t waiting = specs.size(), most = most_beside_own(facts, specs, rooms);
  if (most < waiting && !has_tasks(facts.job))
    if (auto closed = closed_nodes_cause(facts, specs, rooms)) return *closed;
  // An array starts with its first task. In other jobs whose pods may start alone, as many pods as possible
  // start first.
  if (most > 0 && starts_pod_by_pod(facts)) specs.resize(has_tasks(facts.job) ? 1 : most);
  std::vector<Shortfall> shortfalls = shortfalls_on(choice, requests);
  Shortfall& first = shortfalls.at(0);
  std::vector<const Json*> pods;
  for (const Room* room : choice.rooms)
    std::copy_if(room->pods.begin(), room->pods.end(), std::back_inserter(pods),
                 [&](const Json* pod) { return !is_own_pod(facts, *pod); });
  const std::string name = first.resource;
  const bool is_gang = !placed.empty() && !starts_pod_by_pod(facts);
  const std::string numbers =
      is_gang ? numbers_of_gang(facts, choice, placed, placed.size() + specs.size(), first)
              : numbers_text(first);
  first.missing += first.asked * static_cast<int64_t>(specs.size() - 1);
  const std::string missing = missing_text(shortfalls);
  Cause cause = make_cause(CauseCode::resources_held, fmt::format("needs {} more", missing),
                           fmt::format("needs {} more: {}", missing, numbers));
  cause.holders = holders_of_any(pods, shortfalls);
  cause.shortfalls = std::move(shortfalls);
  if (most < specs.size()) {
    blame_own_pods(facts, waiting, cause);
    return cause;
  }
  cause.priority = priority_text(facts, specs, rooms);
  // The order is simulated from the start, so the simulation must also place this job's other
  // pods, for which there is room.
  placed.insert(placed.end(), specs.begin(), specs.end());
  add_order(facts, placed, rooms, name, cause);
  return cause;
}

}  // namespace kml::job
