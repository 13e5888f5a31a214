#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kml/base/clock.h"

namespace kml::spec {

/// When a schedule starts jobs.
struct Timetable {
  std::string cron;  ///< as in a CronJob's spec.schedule
  std::string zone;  ///< a time zone that this machine knows
  /// For --at: the time of the only start. `cron` matches this time, and also the same time in later years.
  std::optional<Time> once = {};
};

/// The flags --cron, --every, --at and --tz. Each of them may be missing.
struct TimetableFlags {
  std::string cron;
  std::optional<std::chrono::seconds> every;
  std::string zone;
  std::string at = {};

  bool are_any() const { return !cron.empty() || every || !zone.empty() || !at.empty(); }
};

/// Checks the flags. Without --tz, uses this machine's zone. Throws usage Error if the flags are invalid or
/// do not fit together, or if a Kubernetes schedule cannot express their times.
Timetable parse_timetable(const TimetableFlags& flags, Time now);

}  // namespace kml::spec
