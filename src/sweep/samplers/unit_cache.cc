#include "sweep/samplers/unit_cache.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kml::sweep {

size_t UnitCache::slot_of(const Observation& trial, bool warm) {
  const auto [found, is_new] = slot_of_[warm].try_emplace(trial.trial, points_.size());
  if (!is_new) return found->second;
  const size_t slot = found->second;
  points_.push_back(trial.point);
  ids_.emplace_back(warm, trial.trial);
  const std::vector<double> unit = space_.to_unit(trial.point);
  for (size_t i = 0; i < unit.size(); ++i) {
    unit_[i].push_back(unit[i]);
    if (std::isnan(unit[i])) continue;
    // If coordinates are equal, sorts by trial numbers, so that the order does not depend on which trial was
    // added first.
    const auto before = [&](size_t a, size_t b) {
      return std::tie(unit_[i][a], ids_[a]) < std::tie(unit_[i][b], ids_[b]);
    };
    order_[i].insert(std::upper_bound(order_[i].begin(), order_[i].end(), slot, before), slot);
  }
  return slot;
}

}  // namespace kml::sweep
