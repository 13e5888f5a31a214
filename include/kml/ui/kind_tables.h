#pragma once

#include "kml/core/clock.h"
#include "kml/core/streams.h"
#include "kml/jobs/capacity/kind_listing.h"
#include "kml/ui/job_tables.h"

namespace kml::ui {

/// The columns that somebody needs who wants to run a job, of each object of a kind.
void print_kind(const Streams& streams, const jobs::KindListing& listing, const TableOptions& options,
                Time now);

}  // namespace kml::ui
