#pragma once

#include "jobs/why/facts.h"
#include "jobs/why/reader.h"

namespace kml::jobs {

/// Reads what Kueue says of the job: the workloads, its LocalQueue and the ClusterQueue behind that.
void read_queue(Reader& reader, Facts& facts);

}  // namespace kml::jobs
