#pragma once

#include <span>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/views/job_view.h"
#include "kml/ui/table.h"

namespace kml::ui {

struct TableOptions {
  bool with_namespace = false;
  bool wide = false;
  bool with_header = true;
};

/// Prints the jobs in the given order, which is newest last.
void print_jobs(const Streams& streams, std::span<const job::JobView> views, const TableOptions& options,
                Time now);

/// "pytorchjob/bert"; only the name for a Job.
std::string kind_and_name(const job::JobView& job);
/// "3m", or "-" if unknown.
std::string age(std::optional<Time> since, Time now);
Style style_of(job::State state);

/// Prints a row for each attempt, without columns for which nothing is known.
void print_attempts(const Streams& streams, std::span<const job::Attempt> attempts, Time now);

/// All known facts about the attempts. `preemptedBy` of a preempted attempt is "unknown" if nothing recorded
/// it.
Json to_json(std::span<const job::Attempt> attempts);

}  // namespace kml::ui
