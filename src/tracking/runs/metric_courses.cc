#include "kml/tracking/runs/metric_courses.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kml/base/append_number.h"
#include "kml/base/damage.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::tracking {

namespace {

/// Reads a number. Returns false unless the whole text is a number.
template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size();
}

/// Removes the text up to and including the next `separator`. Returns the text without the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace

RunCourses RunCourses::of_user() {
  return RunCourses(state_folder() / "metrics");
}

std::filesystem::path RunCourses::file_of(const std::string& run_id) const {
  return folder_ / (path_component(run_id, 200) + ".tsv");
}

void RunCourses::write(const std::string& run_id, const MetricCourses& courses) const {
  if (courses.empty()) return;
  std::string text;
  for (const auto& [name, points] : courses)
    for (const MetricPoint& point : points) {
      text.append(name).append(1, '\t');
      append_number(text, point.step);
      append_number(text.append(1, '\t'), point.value);
      append_number(text.append(1, '\t'),
                    std::chrono::floor<std::chrono::milliseconds>(point.time).time_since_epoch().count());
      text.append(1, '\n');
    }
  make_private_folder(folder_);
  write_file_atomically(file_of(run_id), text);
}

MetricCourses RunCourses::read(const std::string& run_id) const {
  constexpr size_t kLargest = size_t{1} << 30;
  const std::filesystem::path file = file_of(run_id);
  const std::optional<std::string> found = read_file_if_exists(file, kLargest);
  if (found && !found->ends_with('\n')) note_damage(file);
  const std::string text = found.value_or("");
  MetricCourses courses;
  std::vector<MetricPoint>* points = nullptr;
  std::string_view rest = text, last;
  for (size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = take_until(rest, '\n');
    const std::string_view name = take_until(line, '\t');
    MetricPoint point;
    std::chrono::milliseconds::rep ms = 0;
    if (!parse_number(take_until(line, '\t'), point.step) ||
        !parse_number(take_until(line, '\t'), point.value) || !parse_number(line, ms) || !is_utf8(name)) {
      note_damage(file, number);
      continue;
    }
    point.time = time_after_epoch(std::chrono::milliseconds(ms));
    if (!points || name != std::exchange(last, name)) points = &courses[std::string(name)];
    points->push_back(point);
  }
  return courses;
}

}  // namespace kml::tracking
