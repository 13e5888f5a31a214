#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kml {

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using std::chrono::nanoseconds;

/// The wall clock as an interface, so that tests can set it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The machine's own clock.
const Clock& system_clock();

/// A clock that starts at the time of `wall`, and then adds the elapsed time, including time in which the
/// machine sleeps. Used for time budgets: setting the wall clock neither uses up a budget nor extends it.
class UnsteppedClock final : public Clock {
 public:
  explicit UnsteppedClock(const Clock& wall) : begun_(wall.now()), since_boot_(since_boot()) {}
  Time now() const override { return begun_ + (since_boot() - since_boot_); }

 private:
  static nanoseconds since_boot();

  Time begun_;
  nanoseconds since_boot_;
};

/// The time as a Kubernetes metav1.Time, in whole seconds and UTC: "2026-11-21T14:05:06Z".
std::string rfc3339(Time time);
/// "2026-11-21T14:05:06.123456Z": metav1.MicroTime.
std::string rfc3339_micro(Time time);
/// The time as the kubelet writes it in logs: "2026-11-21T14:05:06.123456789Z". Always has 30 characters.
std::string rfc3339_nano(Time time);
/// Parses any RFC 3339 time, with any offset and any number of digits after the decimal point. Ignores digits
/// beyond nanoseconds. Empty for years before 1678 or after 2261, too.
std::optional<Time> parse_rfc3339(std::string_view text);

/// The time this many seconds after the start of 1970 (UTC). A Time can only be in the years 1677 to 2262;
/// outside of this range, the result is at one end of it.
template <typename Number, typename Unit>
Time time_after_epoch(std::chrono::duration<Number, Unit> since) {
  using Duration = std::chrono::duration<Number, Unit>;
  constexpr Duration most = std::chrono::floor<std::chrono::seconds>(Time::duration::max());
  return Time(std::chrono::duration_cast<Time::duration>(std::clamp(since, -most, most)));
}

/// Parses "90s", "15m", "2h30m", "1d12h", or a number of seconds without a unit.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);
/// A duration with at most two units: "45s", "12m", "3h5m", "2d". Like kubectl's column AGE, but without
/// years.
std::string short_duration(nanoseconds duration);
/// Like short_duration(), but rounded up instead of down: for an upper limit.
std::string short_duration_at_most(nanoseconds duration);

/// Turns "2026-11-21T14:05:06Z" into "20261121-140506", and keeps digits after a decimal point. The kubelet
/// uses such times in the names of rotated logs. If the number of digits is the same, sorting the names sorts
/// them by time.
inline std::string file_name_time(std::string rfc3339_stamp) {
  std::erase_if(rfc3339_stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::replace(rfc3339_stamp.begin(), rfc3339_stamp.end(), 'T', '-');
  return rfc3339_stamp;
}

}  // namespace kml
