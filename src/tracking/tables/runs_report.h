#pragma once

#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/attempts/attempts.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::ui {

/// A run with the data for its report.
struct ReportedRun {
  tracking::TrackedRun run;
  tracking::MetricCourses courses = {};
  std::vector<job::Attempt> attempts = {};
  Json artifacts = Json::array();  ///< the run's artifacts, each as pipeline::lineage_of() returns it
};

/// The data for a report of runs, in the given order. If a curve has more than 600 values, it is split into
/// parts, and only the smallest and the largest value of each part are included or, if the part has NaN or an
/// infinity, only the first such value.
Json runs_report_data(const std::vector<ReportedRun>& runs, Time now);

/// The report as an HTML page. It loads nothing from elsewhere, whatever texts the data contains.
std::string runs_report_page(const Json& data);

}  // namespace kml::ui
