#pragma once

#include <string>
#include <vector>

#include "kml/core/streams.h"
#include "kml/jobs/runs/tracked_run.h"

namespace kml::ui {

/// A row for each run: state, age, metrics, parameters, tags.
void print_tracked_runs(const Streams& streams, const std::vector<jobs::TrackedRun>& runs, Time now);

/// A row for each property, a column for each run: first the properties in which the runs differ, most
/// telling first. With `all`, also those that are equal.
void print_comparison(const Streams& streams, const std::vector<jobs::TrackedRun>& runs, bool all);

/// A line for each run, and a column for each parameter and metric.
void print_runs_csv(const Streams& streams, const std::vector<jobs::TrackedRun>& runs);

Json to_json(const jobs::TrackedRun& run);

}  // namespace kml::ui
