#include <algorithm>
#include <map>
#include <utility>

#include "pod/hang/ras_answer.h"

namespace kml::pod {

namespace {

using Counts = std::map<std::string, long long>;

long long total_of(const Counts& counts) {
  long long total = 0;
  for (const auto& [operation, count] : counts) total += count;
  return total;
}

/// The counts for each rank of each communicator.
std::map<std::pair<std::string, int>, Counts> counts_of(const RasAnswer& answer) {
  std::map<std::pair<std::string, int>, Counts> all;
  for (const RasCommunicator& communicator : answer.communicators)
    for (const RasRank& rank : communicator.ranks)
      if (!rank.counts.empty()) all[{communicator.id, rank.rank}] = rank.counts;
  return all;
}

/// The counts that most members have. If two are equally common, the larger one is used.
Counts usual_of(const std::vector<RasRank>& ranks) {
  std::map<Counts, int> votes;
  for (const RasRank& rank : ranks)
    if (!rank.counts.empty()) ++votes[rank.counts];
  const auto usual = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, total_of(a.first)) < std::pair(b.second, total_of(b.first));
  });
  return usual == votes.end() ? Counts() : usual->first;
}

/// How far the counts `a` are ahead of `b`: the largest lead, and its operation.
std::pair<long long, std::string> lead(const Counts& a, const Counts& b) {
  std::pair<long long, std::string> most{0, ""};
  for (const auto& [operation, count] : a) {
    const auto other = b.find(operation);
    if (other != b.end() && count - other->second > most.first) most = {count - other->second, operation};
  }
  return most;
}

RasState state_of_communicator(const RasCommunicator& communicator) {
  RasState state{.size = communicator.size, .members = communicator.ranks};
  Counts most = usual_of(communicator.ranks);
  for (const RasRank& rank : communicator.ranks)
    if (rank.state == RasRank::State::member && total_of(rank.counts) > total_of(most)) most = rank.counts;
  for (const RasRank& rank : communicator.ranks) {
    if (rank.state == RasRank::State::dead || rank.state == RasRank::State::unresponsive) {
      state.lost.push_back(rank.rank);
      state.is_dead |= rank.state == RasRank::State::dead;
      continue;
    }
    if (rank.counts.empty()) continue;
    state.has_counts = true;
    const auto [ahead, other_operation] = lead(rank.counts, most);
    const auto [by, operation] = lead(most, rank.counts);
    if (ahead > 0)
      state.different.push_back(rank.rank);
    else if (by > 0)
      state.behind.push_back(rank.rank);
    if (by == 0) continue;
    state.operation = operation;
    state.launched = most.at(operation);
    state.launched_by_behind = rank.counts.at(operation);
  }
  if (state.operation.empty() && !most.empty()) {
    const auto busiest = std::max_element(most.begin(), most.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    state.operation = busiest->first;
    state.launched = busiest->second;
  }
  return state;
}

/// States are compared by importance; if that is equal, by the size of the communicator.
std::pair<int, int> weight(const RasState& state) {
  return {!state.lost.empty() ? 2 : !state.behind.empty() || !state.different.empty() ? 1 : 0, state.size};
}

}  // namespace

RasState ras_state(const RasAnswer& first, const RasAnswer& later) {
  RasState most;
  for (const RasCommunicator& communicator : later.communicators) {
    RasState state = state_of_communicator(communicator);
    if (most.members.empty() || weight(state) > weight(most)) most = std::move(state);
  }
  most.has_moved = counts_of(first) != counts_of(later);
  for (const RasRank& rank : later.lost) most.is_dead |= rank.state == RasRank::State::dead;
  return most;
}

}  // namespace kml::pod
