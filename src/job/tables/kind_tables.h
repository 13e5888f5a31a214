#pragma once

#include "kml/base/clock.h"
#include "kml/base/streams.h"
#include "kml/job/capacity/kind_listing.h"
#include "kml/job/tables/job_tables.h"

namespace kml::ui {

/// Prints the objects of a kind, with the columns that users need to know before they run a job.
void print_kind(const Streams& streams, const job::KindListing& listing, const TableOptions& options,
                Time now);

}  // namespace kml::ui
