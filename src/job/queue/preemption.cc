#include "job/queue/preemption.h"

#include <algorithm>

namespace kml::job {

namespace {

void add_amounts(Needs& amounts, const Needs& more) {
  for (size_t i = 0; i < amounts.size(); ++i) amounts[i] += more[i];
}

}  // namespace

void Preemption::add(size_t node, const Needs& holds, long long priority, bool is_stopping) {
  if (is_stopping)
    add_amounts(after_stops_[node], holds);
  else
    running_.push_back({node, holds, priority});
}

const std::vector<Needs>& Preemption::room_without_below(long long priority) {
  const auto [found, is_new] = rooms_.try_emplace(priority);
  if (!is_new) return found->second;
  found->second = after_stops_;
  for (const Pod& pod : running_)
    if (pod.priority < priority) add_amounts(found->second[pod.node], pod.holds);
  return found->second;
}

bool Preemption::fit(size_t shape, int pods, std::vector<Needs> room) const {
  const Needs& needs = cluster_.shapes[shape];
  for (size_t node = 0; node < room.size() && pods > 0; ++node)
    while (pods > 0 && cluster_.node_suits[shape][node] && fits(needs, room[node])) {
      for (size_t i = 0; i < needs.size(); ++i) room[node][i] -= needs[i];
      --pods;
    }
  return pods == 0;
}

bool Preemption::find_victims(const Cluster::Waiting& waiting, bool is_gang) {
  const int pods = is_gang ? waiting.pods : 1;
  const auto [found, is_new] = known_.try_emplace({waiting.shape, pods, waiting.priority});
  if (is_new)
    found->second = !fit(waiting.shape, pods, after_stops_) &&
                    fit(waiting.shape, pods, room_without_below(waiting.priority));
  return found->second;
}

}  // namespace kml::job
