#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/cron_schedule.h"

namespace kml::api {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

/// The values that a field may have, and names for them, starting with the first value.
struct FieldRange {
  int first, last;
  std::span<const std::string_view> names = {};
};
constexpr FieldRange kFields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12, kMonths}, {0, 6, kWeekdays}};

struct FieldMask {
  uint64_t bits = 0;
  bool has_star = false;
};

int number_in_field(std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto number = digits.empty() ? std::nullopt : whole_number(digits);
  if (!number)
    throw usage_error(
        fmt::format("failed to parse int from {0}: strconv.Atoi: parsing \"{0}\": invalid syntax", text));
  return *number;
}

int value_in_field(const std::string& text, const FieldRange& range) {
  const auto name = std::find(range.names.begin(), range.names.end(), lower(text));
  return name != range.names.end() ? range.first + static_cast<int>(name - range.names.begin())
                                   : number_in_field(text);
}

/// Parses "*", "?", "5", "1-5" or "mon-fri", each of which may have a step: "*/10" or "8/2" (8, 10, 12, …).
FieldMask parse_part(const std::string& text, const FieldRange& range) {
  const std::vector<std::string> with_step = split(text, '/'), ends = split(with_step[0], '-');
  FieldMask mask{0, ends[0] == "*" || ends[0] == "?"};
  int first = range.first, last = range.last, step = 1;
  if (!mask.has_star) {
    last = first = value_in_field(ends[0], range);
    if (ends.size() > 2) throw usage_error("too many hyphens: " + text);
    if (ends.size() == 2) last = value_in_field(ends[1], range);
  }
  if (with_step.size() > 2) throw usage_error("too many slashes: " + text);
  if (with_step.size() == 2) {
    step = number_in_field(with_step[1]);
    if (ends.size() == 1) last = range.last;
    if (step > 1) mask.has_star = false;
  }
  if (first < range.first)
    throw usage_error(
        fmt::format("beginning of range ({}) below minimum ({}): {}", first, range.first, text));
  if (last > range.last)
    throw usage_error(fmt::format("end of range ({}) above maximum ({}): {}", last, range.last, text));
  if (first > last)
    throw usage_error(fmt::format("beginning of range ({}) beyond end of range ({}): {}", first, last, text));
  if (step == 0) throw usage_error("step of range should be a positive number: " + text);
  for (int value = first; value <= last; value += step) mask.bits |= uint64_t{1} << value;
  return mask;
}

/// Parses parts that commas separate.
FieldMask parse_field(const std::string& text, const FieldRange& range) {
  FieldMask mask;
  for (const std::string& part : split(text, ',')) {
    if (part.empty()) continue;
    const FieldMask more = parse_part(part, range);
    mask.bits |= more.bits;
    mask.has_star |= more.has_star;
  }
  return mask;
}

std::vector<std::string> fields_in(std::string_view text) {
  std::vector<std::string> fields;
  std::string spaced(text);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  for (std::string& field : split(spaced, ' '))
    if (!field.empty()) fields.push_back(std::move(field));
  return fields;
}

CronSchedule parse_fields(std::string_view text) {
  const std::vector<std::string> fields = fields_in(text);
  if (fields.size() != std::size(kFields))
    throw usage_error(fmt::format("expected exactly {} fields, found {}: [{}]", std::size(kFields),
                                  fields.size(), join(fields, " ")));
  std::array<FieldMask, std::size(kFields)> masks;
  for (size_t i = 0; i < masks.size(); ++i) masks[i] = parse_field(fields[i], kFields[i]);
  return {masks[0].bits, masks[1].bits, masks[2].bits,
          masks[3].bits, masks[4].bits, masks[2].has_star || masks[4].has_star};
}

/// Parses "1h30m". Go's durations may also have fractions and smaller units, but no schedule needs those.
CronSchedule parse_every(std::string_view descriptor, std::string_view duration) {
  const auto seconds = duration.find_first_not_of("0123456789hms") == std::string_view::npos &&
                               !duration.empty() && !is_digit(duration.back())
                           ? parse_duration(duration)
                           : std::nullopt;
  if (!seconds)
    throw usage_error(
        fmt::format("failed to parse duration {}: time: invalid duration \"{}\"", descriptor, duration));
  CronSchedule schedule;
  schedule.every = std::max(*seconds, std::chrono::seconds(1));
  return schedule;
}

}  // namespace

CronSchedule parse_cron(std::string_view text) {
  if (text.empty()) throw usage_error("empty spec string");
  if (!text.starts_with('@')) return parse_fields(text);
  constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
      {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
      {"@hourly", "0 * * * *"},
  };
  for (const auto& [name, fields] : kNamed)
    if (text == name) return parse_fields(fields);
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) return parse_every(text, text.substr(kEvery.size()));
  throw usage_error(fmt::format("unrecognized descriptor: {}", text));
}

}  // namespace kml::api
