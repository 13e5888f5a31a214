#pragma once

#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/attempts/attempts.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::ui {

/// A run, with the data for its report.
struct ReportedRun {
  tracking::TrackedRun run;
  tracking::MetricCourses courses = {};
  std::vector<job::Attempt> attempts = {};
  Json artifacts = Json::array();  ///< each as pipeline::lineage_of() returns it
};

/// The data of a report of runs, in their order. Of a course with more than 600 values, it has the smallest
/// and the largest one of each part.
Json runs_report_data(const std::vector<ReportedRun>& runs, Time now);

/// The report as one HTML page. The page loads nothing from elsewhere, whatever texts the data contains.
std::string runs_report_page(const Json& data);

}  // namespace kml::ui
