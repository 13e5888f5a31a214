#include "kml/base/clock.h"

#include <fmt/format.h>

#include <cctype>
#include <ctime>

#include "kml/base/system_calls.h"

namespace kml {

namespace {

/// All days from the first to the last of these years fit into Time, a 64-bit number of nanoseconds.
constexpr int kFirstYear = 1678, kLastYear = 2261;

class SystemClock : public Clock {
 public:
  Time now() const override {
    return std::chrono::time_point_cast<nanoseconds>(std::chrono::system_clock::now());
  }
};

struct Parts {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<nanoseconds> clock;
};

Parts parts_of(Time time) {
  // The earliest Time is not at midnight, so the start of its day is too early for a Time.
  constexpr nanoseconds kDay = std::chrono::days(1);
  const nanoseconds rest = time.time_since_epoch() % kDay;
  return {std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(time)),
          std::chrono::hh_mm_ss<nanoseconds>(rest < nanoseconds(0) ? rest + kDay : rest)};
}

std::string seconds_text(const Parts& parts) {
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(parts.date.year()),
                     static_cast<unsigned>(parts.date.month()), static_cast<unsigned>(parts.date.day()),
                     parts.clock.hours().count(), parts.clock.minutes().count(),
                     parts.clock.seconds().count());
}

/// Reads exactly `count` digits from the front of the text and removes them.
std::optional<int> take_digits(std::string_view& text, size_t count) {
  if (text.size() < count) return {};
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) return {};
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

nanoseconds UnsteppedClock::since_boot() {
  return time_since_boot();
}

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string rfc3339(Time time) {
  return seconds_text(parts_of(time)) + "Z";
}

std::string rfc3339_micro(Time time) {
  Parts parts = parts_of(time);
  return fmt::format("{}.{:06}Z", seconds_text(parts), parts.clock.subseconds().count() / 1000);
}

std::string rfc3339_nano(Time time) {
  Parts parts = parts_of(time);
  return fmt::format("{}.{:09}Z", seconds_text(parts), parts.clock.subseconds().count());
}

std::optional<Time> parse_rfc3339(std::string_view text) {
  using namespace std::chrono;
  auto year_number = take_digits(text, 4);
  if (!year_number || !take(text, '-')) return {};
  auto month_number = take_digits(text, 2);
  if (!month_number || !take(text, '-')) return {};
  auto day_number = take_digits(text, 2);
  if (!day_number || !(take(text, 'T') || take(text, 't'))) return {};
  auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return {};
  auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return {};
  auto second = take_digits(text, 2);
  if (!second) return {};

  nanoseconds fraction{0};
  if (take(text, '.')) {
    nanoseconds unit{100'000'000};
    if (text.empty() || !std::isdigit(static_cast<unsigned char>(text.front()))) return {};
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front()))) {
      fraction += unit * (text.front() - '0');
      unit /= 10;
      text.remove_prefix(1);
    }
  }
  minutes offset{0};
  if (!take(text, 'Z') && !take(text, 'z')) {
    int sign = take(text, '+') ? 1 : take(text, '-') ? -1 : 0;
    if (sign == 0) return {};
    auto offset_hours = take_digits(text, 2);
    if (!offset_hours || !take(text, ':')) return {};
    auto offset_minutes = take_digits(text, 2);
    if (!offset_minutes) return {};
    offset = sign * (hours(*offset_hours) + minutes(*offset_minutes));
  }
  year_month_day date{year(*year_number), month(static_cast<unsigned>(*month_number)),
                      day(static_cast<unsigned>(*day_number))};
  if (*year_number < kFirstYear || *year_number > kLastYear) return {};
  if (!text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return {};
  return Time(sys_days(date)) + hours(*hour) + minutes(*minute) + seconds(*second) + fraction - offset;
}

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  if (text.empty()) return {};
  std::chrono::seconds total{0};
  while (!text.empty()) {
    long long number = 0;
    size_t digits = 0;
    while (digits < text.size() && digits < 10 && std::isdigit(static_cast<unsigned char>(text[digits])))
      number = number * 10 + (text[digits++] - '0');
    if (digits == 0) return {};
    text.remove_prefix(digits);
    long long unit = text.empty() || take(text, 's') ? 1
                     : take(text, 'm')               ? 60
                     : take(text, 'h')               ? 3600
                     : take(text, 'd')               ? 86400
                                                     : 0;
    if (unit == 0) return {};
    total += std::chrono::seconds(number * unit);
  }
  return total;
}

std::string short_duration(nanoseconds duration) {
  long long seconds = std::max<long long>(0, duration_cast<std::chrono::seconds>(duration).count());
  auto two_units = [](long long big, const char* big_unit, long long small, const char* small_unit) {
    return small == 0 ? fmt::format("{}{}", big, big_unit)
                      : fmt::format("{}{}{}{}", big, big_unit, small, small_unit);
  };
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 600) return two_units(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 3 * 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 8 * 3600) return two_units(seconds / 3600, "h", seconds / 60 % 60, "m");
  if (seconds < 48 * 3600) return fmt::format("{}h", seconds / 3600);
  if (seconds < 8 * 86400) return two_units(seconds / 86400, "d", seconds / 3600 % 24, "h");
  return fmt::format("{}d", seconds / 86400);
}

std::string short_duration_at_most(nanoseconds duration) {
  using namespace std::chrono;
  // the smallest unit that short_duration() shows for this duration
  const auto unit = duration < 10min     ? 1s
                    : duration < 8h      ? 1min
                    : duration < 8 * 24h ? seconds(1h)
                                         : seconds(24h);
  const nanoseconds rest = std::max(duration, nanoseconds(0)) % unit;
  return short_duration(duration + (rest > 0ns ? nanoseconds(unit) - rest : 0ns));
}

}  // namespace kml
