#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "job/why/start_order.h"

namespace kml::job {

namespace {

/// How much of a resource the candidate holds in total.
template <typename Candidate>
int64_t amount_held(const Candidate& candidate, size_t resource) {
  return std::accumulate(candidate.pods.begin(), candidate.pods.end(), int64_t{0},
                         [&](int64_t sum, const auto& pod) { return sum + pod.second[resource]; });
}

}  // namespace

std::vector<Holder> StartOrder::holders(const std::vector<const Candidate*>& ended, size_t resource) const {
  std::vector<Holder> jobs;
  for (const Candidate* one : ended) {
    jobs.push_back(one->job);
    jobs.back().amount = amount_held(*one, resource);
  }
  return jobs;
}

int64_t StartOrder::amount_of(const Holder& running, const std::string& resource) const {
  const auto known = resources_.find(resource);
  if (known == resources_.end()) return 0;
  int64_t amount = 0;
  for (const Candidate& candidate : candidates_)
    if (key_of(candidate.job) == key_of(running)) amount += amount_held(candidate, known->second);
  return amount;
}

std::vector<Holder> StartOrder::fewest_to_end(const std::string& resource, const Condition& also) const {
  constexpr size_t kMostTries = 20'000, kMostTogether = 4;
  constexpr std::pair<bool, bool> kWishes[] = {{true, true}, {false, true}, {false, false}};
  const auto known = resources_.find(resource);
  if (!is_decided_ || (starts_by_itself_ && !also) || known == resources_.end()) return {};
  bool without_rivals = true, without_preemption = true;
  const auto suffices = [&](const std::vector<const Candidate*>& ended) {
    return starts_first(ended) && !(without_rivals && !rivals_without(ended).empty()) &&
           !(without_preemption && preempts_without(ended)) && (!also || also(holders(ended, known->second)));
  };
  std::vector<const Candidate*> candidates;
  for (const Candidate& candidate : candidates_) candidates.push_back(&candidate);
  const auto worth = [&](const Candidate* one) {
    return std::tuple(one->job.priority.value_or(0), amount_held(*one, known->second));
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate* a, const Candidate* b) { return worth(a) < worth(b); });
  size_t tries = 0;
  std::vector<const Candidate*> chosen;
  // Tries all sets with `more` further candidates, starting at index `first`.
  const auto search = [&](const auto& self, size_t first, size_t more) -> bool {
    if (more == 0) return ++tries <= kMostTries && suffices(chosen);
    for (size_t i = first; i + more <= candidates.size() && tries <= kMostTries; ++i) {
      chosen.push_back(candidates[i]);
      if (self(self, i + 1, more - 1)) return true;
      chosen.pop_back();
    }
    return false;
  };
  bool is_found = false;
  for (size_t count = 1; count <= std::min(kMostTogether, candidates.size()) && !is_found; ++count)
    for (const auto& [no_rivals, no_preemption] : kWishes) {
      without_rivals = no_rivals;
      without_preemption = no_preemption;
      if ((is_found = search(search, 0, count))) break;
    }
  // adds candidates one by one, the largest first, then removes those that turn out to be unnecessary
  if (!is_found) {
    chosen.clear();
    std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate* a, const Candidate* b) {
      return amount_held(*a, known->second) > amount_held(*b, known->second);
    });
    for (size_t i = 0; i < candidates.size() && !is_found; ++i) {
      chosen.push_back(candidates[i]);
      is_found = suffices(chosen);
    }
    for (size_t i = 0; is_found && i < chosen.size();) {
      std::vector<const Candidate*> fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      suffices(fewer) ? static_cast<void>(chosen = std::move(fewer)) : static_cast<void>(++i);
    }
  }
  return is_found ? holders(chosen, known->second) : std::vector<Holder>();
}

}  // namespace kml::job
