#include "job/views/run_spans.h"

#include <algorithm>

namespace kml::job {

nanoseconds time_covered(std::vector<std::pair<Time, Time>> spans) {
  std::sort(spans.begin(), spans.end());
  nanoseconds sum{0};
  Time reached = Time::min();
  for (const auto& [start, end] : spans) {
    const Time from = std::max(start, reached);
    if (end <= from) continue;
    sum += end - from;
    reached = end;
  }
  return sum;
}

}  // namespace kml::job
