#pragma once

#include <span>
#include <string>

#include "job/queue/estimate.h"
#include "job/queue/queue.h"
#include "kml/base/streams.h"
#include "kml/job/tables/job_tables.h"

namespace kml::ui {

using QueueEntries = std::span<const job::QueueEntry* const>;

/// Prints the entries in the given order, with fewer columns on a narrow terminal. "~" marks an estimate, "<"
/// a limit.
void print_queue(const Streams& streams, QueueEntries entries, const job::StartEstimates& starts,
                 const TableOptions& options, Time now);

/// Prints only waiting entries, each with its estimated start as a local date and time, as Slurm's `squeue
/// --start` does.
void print_starts(const Streams& streams, QueueEntries entries, const job::StartEstimates& starts,
                  const TableOptions& options, Time now);

/// Everything that is known about an entry, for programs.
Json to_json(const job::QueueEntry& entry, const job::StartEstimates& starts);

}  // namespace kml::ui
