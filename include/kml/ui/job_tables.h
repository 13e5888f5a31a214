#pragma once

#include <span>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/core/streams.h"
#include "kml/jobs/attempts/attempts.h"
#include "kml/jobs/views/job_view.h"
#include "kml/ui/table.h"

namespace kml::ui {

struct TableOptions {
  bool with_namespace = false;
  bool wide = false;
  bool with_header = true;
};

/// Newest last, as given.
void print_jobs(const Streams& streams, std::span<const jobs::JobView> views, const TableOptions& options,
                Time now);

/// "pytorchjob/bert"; of a Job its name alone.
std::string kind_and_name(const jobs::JobView& job);
/// "3m", or "-" where it is not known.
std::string age(std::optional<Time> since, Time now);
Style style_of(jobs::State state);

/// A row for each attempt; columns that nothing is known for are left out.
void print_attempts(const Streams& streams, std::span<const jobs::Attempt> attempts, Time now);

/// All that is known of them; `preemptedBy` of a preempted one is "unknown" where nobody saw it.
Json to_json(std::span<const jobs::Attempt> attempts);

}  // namespace kml::ui
