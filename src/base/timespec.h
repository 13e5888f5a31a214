#pragma once

#include <ctime>

#include "kml/base/clock.h"

namespace kml {

inline nanoseconds duration_of(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

inline nanoseconds read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return duration_of(now);
}

}  // namespace kml
