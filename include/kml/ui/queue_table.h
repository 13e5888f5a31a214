#pragma once

#include <span>
#include <string>

#include "kml/core/streams.h"
#include "kml/jobs/queue/estimate.h"
#include "kml/jobs/queue/queue.h"
#include "kml/ui/job_tables.h"

namespace kml::ui {

using QueueEntries = std::span<const jobs::QueueEntry* const>;

/// As given, on a narrow terminal with fewer columns. Estimates are marked with "~", limits with "<".
void print_queue(const Streams& streams, QueueEntries entries, const jobs::StartEstimates& starts,
                 const TableOptions& options, Time now);

/// Only those that wait, with the time of the day at which each may start, as Slurm's `squeue --start` has
/// it.
void print_starts(const Streams& streams, QueueEntries entries, const jobs::StartEstimates& starts,
                  const TableOptions& options, Time now);

/// For programs: all that is known of one.
Json to_json(const jobs::QueueEntry& entry, const jobs::StartEstimates& starts);

}  // namespace kml::ui
