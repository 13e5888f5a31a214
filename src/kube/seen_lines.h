#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "kml/core/clock.h"

namespace kml::kube {

/// Remembers which lines of a log have been handed on, as far back as a resumed stream begins. The API server
/// cuts sinceTime to whole seconds, and lines of stdout and stderr may stand a little out of order: so it
/// goes back one second more than the last line's.
class SeenLines {
 public:
  /// Where a resumed stream is to begin; empty before the first line.
  std::optional<Time> resume_from() const;
  /// From now on lines come again that have been seen.
  void resumed() { again_ = seen_; }
  /// Takes note of the line; false where it only comes again.
  bool is_new(Time time, std::string_view line);

 private:
  using Second = std::chrono::sys_time<std::chrono::seconds>;
  using Counts = std::unordered_map<uint64_t, int>;  ///< by a hash of time and line
  using Window = std::map<Second, Counts>;

  static void forget_before(Window& window, Second second);

  Window seen_, again_;
};

}  // namespace kml::kube
