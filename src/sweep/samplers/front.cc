#include "sweep/samplers/front.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kml::sweep {

bool dominates(const Costs& a, const Costs& b) {
  bool is_better = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    is_better = is_better || a[i] < b[i];
  }
  return is_better;
}

std::vector<size_t> ranks_of(std::span<const Costs> trials) {
  const size_t count = trials.size();
  std::vector<std::vector<size_t>> dominated(count);
  std::vector<size_t> above(count), ranks(count),
      front;  // above[i]: how many trials that are not ranked yet dominate trial i
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b)
      if (dominates(trials[a], trials[b])) {
        dominated[a].push_back(b);
        ++above[b];
      }
  for (size_t i = 0; i < count; ++i)
    if (above[i] == 0) front.push_back(i);
  for (size_t rank = 0; !front.empty(); ++rank) {
    std::vector<size_t> next;
    for (const size_t i : std::exchange(front, {})) {
      ranks[i] = rank;
      for (const size_t behind : dominated[i])
        if (--above[behind] == 0) next.push_back(behind);
    }
    front = std::move(next);
  }
  return ranks;
}

}  // namespace kml::sweep
