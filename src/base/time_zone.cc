#include "kml/base/time_zone.h"

#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml {

struct TimeZone::Zone {
  absl::TimeZone zone;
};

namespace {

/// Whether this could be a name in the database. Such a name cannot lead to a file outside the database.
bool is_zone_name(std::string_view name) {
  constexpr size_t kLongestPart = 14;
  const std::vector<std::string> parts = split(name, '/');
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && part.size() <= kLongestPart && part != "." && part != ".." &&
           !part.starts_with('-') && std::all_of(part.begin(), part.end(), [](unsigned char c) {
             return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == '+';
           });
  });
}

}  // namespace

std::optional<TimeZone> TimeZone::find(std::string_view name) {
  absl::TimeZone zone;
  if (!is_zone_name(name) || lower(name) == "local" || !absl::LoadTimeZone(std::string(name), &zone))
    return {};
  return TimeZone(std::make_shared<const Zone>(Zone{zone}));
}

TimeZone TimeZone::utc() {
  return TimeZone(std::make_shared<const Zone>(Zone{absl::UTCTimeZone()}));
}

TimeZone TimeZone::local() {
  return TimeZone(std::make_shared<const Zone>(Zone{absl::LocalTimeZone()}));
}

std::chrono::seconds TimeZone::offset(Time time) const {
  const auto since_1970 = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch();
  return std::chrono::seconds(zone_->zone.At(absl::FromUnixSeconds(since_1970.count())).offset);
}

std::string local_zone_name() {
  const std::string of_process = environment("TZ");
  std::vector<std::string> names = {of_process.starts_with(':') ? of_process.substr(1) : of_process};
  std::error_code none;
  const std::string file = std::filesystem::read_symlink("/etc/localtime", none);
  constexpr std::string_view kDatabase = "/zoneinfo/";
  if (const size_t at = file.find(kDatabase); at != std::string::npos)
    names.push_back(file.substr(at + kDatabase.size()));
  names.emplace_back(trim(read_file_if_exists("/etc/timezone").value_or("")));
  const auto known = std::find_if(names.begin(), names.end(),
                                  [](const std::string& name) { return TimeZone::find(name).has_value(); });
  return known == names.end() ? "UTC" : *known;
}

std::string rfc3339_in(const TimeZone& zone, Time time) {
  const std::chrono::seconds offset = zone.offset(time);
  std::string text = rfc3339(time + offset);
  if (offset == std::chrono::seconds(0)) return text;
  text.pop_back();
  const long long minutes = std::abs(offset.count()) / 60;
  return fmt::format("{}{}{:02}:{:02}", text, offset.count() < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string minute_in(const TimeZone& zone, Time time) {
  constexpr size_t kDay = 10, kMinute = 16;
  const std::string text = rfc3339(time + zone.offset(time));
  return text.substr(0, kDay) + " " + text.substr(kDay + 1, kMinute - kDay - 1);
}

}  // namespace kml
