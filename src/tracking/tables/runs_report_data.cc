#include <algorithm>
#include <cmath>
#include <span>

#include "kml/job/tables/job_tables.h"
#include "tracking/tables/runs_report.h"
#include "tracking/tables/tracked_runs.h"

namespace kml::ui {

namespace {

constexpr size_t kMostPoints = 600;

Json point_of(const tracking::MetricPoint& point) {
  return {point.step, std::isfinite(point.value) ? Json(point.value) : Json()};
}

/// Adds the first value that is NaN or infinite. If there is none, adds the smallest and the largest value,
/// in the order of their steps.
void add_extremes(std::span<const tracking::MetricPoint> part, Json& points) {
  const auto is_odd = [](const tracking::MetricPoint& point) { return !std::isfinite(point.value); };
  const auto less = [](const tracking::MetricPoint& a, const tracking::MetricPoint& b) {
    return a.value < b.value;
  };
  if (const auto odd = std::find_if(part.begin(), part.end(), is_odd); odd != part.end()) {
    points.push_back(point_of(*odd));
    return;
  }
  auto [first, second] = std::minmax_element(part.begin(), part.end(), less);
  if (second < first) std::swap(first, second);
  points.push_back(point_of(*first));
  if (first != second) points.push_back(point_of(*second));
}

Json course_json(const std::vector<tracking::MetricPoint>& course) {
  Json points = Json::array();
  const size_t parts = course.size() <= kMostPoints ? course.size() : kMostPoints / 2;
  for (size_t i = 0; i < parts; ++i) {
    const size_t begin = i * course.size() / parts, end = (i + 1) * course.size() / parts;
    add_extremes(std::span(course).subspan(begin, end - begin), points);
  }
  return {{"count", course.size()}, {"points", std::move(points)}};
}

Json json_of_run(const ReportedRun& reported) {
  const tracking::TrackedRun& run = reported.run;
  Json object = to_json(run);
  Json courses = Json::object();
  for (const auto& [name, course] : reported.courses) courses[name] = course_json(course);
  set_said(object, {{"short", short_id(run)},
                    {"code", code_in_brief(run)},
                    {"courses", courses},
                    {"attempts", to_json(std::span(reported.attempts))},
                    {"artifacts", reported.artifacts}});
  if (run.finished) object["seconds"] = std::chrono::duration<double>(*run.finished - run.time).count();
  return object;
}

}  // namespace

Json runs_report_data(const std::vector<ReportedRun>& runs, Time now) {
  Json list = Json::array();
  for (const ReportedRun& run : runs) list.push_back(json_of_run(run));
  return {{"made", rfc3339(now)}, {"runs", std::move(list)}};
}

}  // namespace kml::ui
