#pragma once

#include <optional>
#include <unordered_set>

#include "kml/sweep/space/space.h"
#include "kml/sweep/trial/history.h"
#include "sweep/samplers/stream.h"

namespace kml::sweep {

/// The points that were tried. Lookup takes constant time.
class Tried {
 public:
  bool contains(const Point& point) const { return points_.contains(point); }
  void add(const Point& point);
  /// Brings the points up to date with the history. If no point was removed, only adds new ones.
  void follow(const History& seen);

 private:
  struct Hash {
    size_t operator()(const Point& point) const;
  };
  struct Same {
    bool operator()(const Point& a, const Point& b) const { return same(a, b); }
  };
  std::unordered_set<Point, Hash, Same> points_;
  std::unordered_set<std::uint64_t> trials_;
};

/// An allowed and untried point, found by a search that starts at a random position in the grid. Empty if
/// there is none, if Space::size() is empty, or if the next million points were all tried or are not allowed.
std::optional<Point> scan_for_untried(const Space& space, const Tried& tried, Stream stream);

inline constexpr int kAttempts = 1000;

/// The first allowed and untried point among `draw(0)`, `draw(1)`, ... If none of the first kAttempts draws
/// is such a point, the result of scan_for_untried().
template <typename Draw>
std::optional<Point> first_untried(const Space& space, const Tried& tried, const Stream& scan, Draw draw) {
  for (int attempt = 0; attempt < kAttempts; ++attempt)
    if (Point point = draw(attempt); space.allows(point) && !tried.contains(point)) return point;
  return scan_for_untried(space, tried, scan);
}

}  // namespace kml::sweep
