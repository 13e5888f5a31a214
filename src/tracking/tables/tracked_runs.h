#pragma once

#include <string>
#include <vector>

#include "kml/base/streams.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::ui {

/// The short form of a run's id: "1a83ba9c"; for a sweep or a pipeline, for example "sweep/lr1".
std::string short_id(const tracking::TrackedRun& run);

/// The commit, with the digest and size of the uncommitted changes: "5cde61d0 + 1a83ba9c (12 lines)". Without
/// both, the digest of the code that --code sent.
std::string code_in_brief(const tracking::TrackedRun& run);

/// Prints a row for each run: its state, age, metrics, parameters and tags. If columns are given, prints the
/// run's name and these columns instead: words of column_words(), or names for tracking::value_of(). Shortens
/// long values. Below a run are its nested runs.
void print_tracked_runs(const Streams& streams, const std::vector<tracking::TrackedRun>& runs, Time now,
                        const std::vector<std::string>& columns = {});
/// The words: "run", "age", "target", "metrics", "parameters", "tags", "command", …
const std::vector<std::string>& column_words();

/// Prints a row for each property, with a column for each run. Properties in which the runs differ come
/// first, the most informative ones at the top. With `all`, also prints equal properties. Returns whether the
/// runs differ.
bool print_comparison(const Streams& streams, const std::vector<tracking::TrackedRun>& runs, bool all);

/// Prints a line for each run, with a column for each parameter, metric and tag.
void print_runs_csv(const Streams& streams, const std::vector<tracking::TrackedRun>& runs);

Json to_json(const tracking::TrackedRun& run);

}  // namespace kml::ui
