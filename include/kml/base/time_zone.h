#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"

namespace kml {

/// A time zone from this machine's database (tzdata), including past and future changes of its clocks.
class TimeZone {
 public:
  /// The zone with this name in IANA's database, such as "Europe/Berlin". Checks the name as Kubernetes does
  /// (pkg/apis/batch/validation, validateTimeZone). Empty if this machine does not know the zone.
  static std::optional<TimeZone> find(std::string_view name);
  static TimeZone utc();
  /// The zone of this process: the one in TZ, otherwise the one in /etc/localtime.
  static TimeZone local();

  /// The offset that must be added to UTC at this time to get the zone's local time.
  std::chrono::seconds offset(Time time) const;

 private:
  struct Zone;
  explicit TimeZone(std::shared_ptr<const Zone> zone) : zone_(std::move(zone)) {}

  std::shared_ptr<const Zone> zone_;
};

/// The name of this machine's zone, as other machines know it, from TZ, /etc/localtime or /etc/timezone.
/// "UTC" if none of them contains a zone's name.
std::string local_zone_name();

/// The time in the zone: "2026-11-26T03:00:00+01:00", or "…Z" if the zone's offset at that time is zero.
std::string rfc3339_in(const TimeZone& zone, Time time);
/// "2026-11-26 03:00", for people.
std::string minute_in(const TimeZone& zone, Time time);

}  // namespace kml
