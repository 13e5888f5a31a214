#include <algorithm>
#include <tuple>

#include "kml/jobs/first_error/first_error.h"

namespace kml::jobs {

namespace {

/// Nobody is a victim of what comes later by more than this; below it the order of the API's times, which are
/// whole seconds of different nodes, says little.
constexpr std::chrono::seconds kFirstMoments{2};

Time end_of(const Death& death) {
  return death.exit.finished.value_or(Time::max());
}

}  // namespace

const Death* died_first(std::span<const Death> deaths) {
  // Who lost a peer is proof of another's end, whatever the times say.
  const auto is_cause = [](const Death& death) { return death.kind != EndKind::peer_lost; };
  const bool any_cause = std::any_of(deaths.begin(), deaths.end(), is_cause);
  Time first = Time::max();
  for (const Death& death : deaths)
    if (!any_cause || is_cause(death)) first = std::min(first, end_of(death));
  const auto order = [](const Death& death) {
    return std::tuple(death.kind, !death.is_named, death.when(), death.rank.value_or(1 << 30));
  };
  const Death* best = nullptr;
  for (const Death& death : deaths) {
    if (any_cause && !is_cause(death)) continue;
    if (end_of(death) - first > kFirstMoments) continue;
    if (!best || order(death) < order(*best)) best = &death;
  }
  return best;
}

}  // namespace kml::jobs
