#include "kml/job/spec/task_numbers.h"

#include <algorithm>
#include <numeric>

#include "job/spec/values.h"
#include "kml/base/text.h"

namespace kml::spec {

namespace {

constexpr int kMostTasks = 100'000;  // also Kubernetes' limit for the parallelism of an Indexed Job

/// The smallest number in both ranges. Needs at most as many steps as the smaller of the two step sizes.
template <typename Range>
std::optional<int> common_number(const Range& a, const Range& b) {
  const Range& coarse = a.step >= b.step ? a : b;
  const Range& fine = a.step >= b.step ? b : a;
  const int64_t low = std::max(a.first, b.first), high = std::min(a.last, b.last);
  if ((int64_t{b.first} - a.first) % std::gcd(a.step, b.step) != 0) return {};
  int64_t number = coarse.first;
  if (low > number) number += (low - number + coarse.step - 1) / coarse.step * coarse.step;
  while (number <= high && (number - fine.first) % fine.step != 0) number += coarse.step;
  return number <= high ? std::optional(static_cast<int>(number)) : std::nullopt;
}

/// A number that is in two of the ranges. Only compares ranges that overlap, because there may be many
/// ranges: an array may have 100,000 tasks.
template <typename Range>
std::optional<int> repeated_number(std::vector<Range> sorted) {
  std::vector<Range> overlapping;
  std::sort(sorted.begin(), sorted.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  for (const Range& range : sorted) {
    std::erase_if(overlapping, [&](const Range& earlier) { return earlier.last < range.first; });
    for (const Range& earlier : overlapping)
      if (const auto number = common_number(earlier, range)) return number;
    overlapping.push_back(range);
  }
  return {};
}

}  // namespace

std::variant<TaskNumbers::Range, std::string> TaskNumbers::parse_range(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':'), ends = split(parts[0], '-');
  if (parts.size() > 2 || ends.size() > 2) return "\"" + std::string(text) + "\" is not a range";
  const std::string numbers[] = {ends.front(), ends.back(), parts.size() == 2 ? parts[1] : "1"};
  int values[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (numbers[i].empty()) return std::string("a number is missing");
    auto value = parse_count(numbers[i], i == 2 ? 1 : 0);
    if (auto* problem = std::get_if<std::string>(&value)) return std::move(*problem);
    values[i] = std::get<int>(value);
  }
  if (values[1] < values[0]) return "\"" + parts[0] + "\" ends before it starts";
  return Range{values[0], values[1], values[2]};
}

std::variant<TaskNumbers, std::string> TaskNumbers::parse(std::string_view text) {
  const std::string cited = "\"" + std::string(text) + "\"";
  TaskNumbers numbers;
  int64_t count = 0;
  for (const std::string& part : split(text, ',')) {
    auto range = parse_range(part);
    if (auto* problem = std::get_if<std::string>(&range))
      return cited + " is not of the form 0-9, 1-5,8 or 0-90:10: " + *problem;
    numbers.ranges_.push_back(std::get<Range>(range));
    count += numbers.ranges_.back().count();
    if (count > kMostTasks) return cited + " has more than " + std::to_string(kMostTasks) + " tasks";
  }
  if (const auto number = repeated_number(numbers.ranges_))
    return cited + " has task " + std::to_string(*number) + " twice";
  return numbers;
}

int TaskNumbers::count() const {
  int sum = 0;
  for (const Range& range : ranges_) {
    if (range.count() > kMostTasks) return kMostTasks + 1;
    sum += static_cast<int>(range.count());
  }
  return sum;
}

std::optional<int> TaskNumbers::at(int index) const {
  for (const Range& range : ranges_) {
    if (index < range.count()) return range.first + index * range.step;
    index -= static_cast<int>(range.count());
  }
  return {};
}

std::optional<int> TaskNumbers::index_of(int number) const {
  int before = 0;
  for (const Range& range : ranges_) {
    const int distance = number - range.first;
    if (number >= range.first && number <= range.last && distance % range.step == 0)
      return before + distance / range.step;
    before += static_cast<int>(range.count());
  }
  return {};
}

bool TaskNumbers::are_indexes() const {
  return ranges_.size() == 1 && ranges_[0].first == 0 && ranges_[0].step == 1;
}

std::string TaskNumbers::text() const {
  std::string text;
  for (const Range& range : ranges_)
    text += (text.empty() ? "" : ",") + std::to_string(range.first) + "-" + std::to_string(range.last) + ":" +
            std::to_string(range.step);
  return text;
}

std::string TaskNumbers::in_words() const {
  std::vector<std::string> parts;
  for (const Range& range : ranges_) {
    std::string part = std::to_string(range.first);
    if (range.count() > 1)
      part += "-" + std::to_string(range.first + (static_cast<int>(range.count()) - 1) * range.step);
    if (range.count() > 1 && range.step > 1) part += ":" + std::to_string(range.step);
    parts.push_back(std::move(part));
  }
  return join(parts, ",");
}

}  // namespace kml::spec
