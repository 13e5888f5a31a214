#pragma once

#include <span>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/streams.h"
#include "kml/jobs/job_view.h"
#include "kml/jobs/queue.h"
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
void print_queue(const Streams& streams, std::span<const jobs::QueueEntry> entries,
                 const TableOptions& options, Time now);

/// "3m", or "-" where it is not known.
std::string age(std::optional<Time> since, Time now);
Style style_of(jobs::State state);

}  // namespace kml::ui
