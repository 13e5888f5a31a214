#pragma once

#include "kml/core/clock.h"
#include "kml/pipeline/gc.h"
#include "kml/s3/client.h"

namespace kml::jobs {

/// Removes from a bucket that S3Store filled the results that nobody has used for `options.keep`, and the
/// trees and files that no other result needs. Nothing that was written or used within the last day is
/// removed, so that it may run beside engines. Which runs need a result is not asked: they may be of other
/// machines. Objects that S3Store did not write stay. Of the options only `keep` and `is_dry_run` count.
pipeline::GcReport collect(s3::Client& client, const pipeline::GcOptions& options, Time now);

}  // namespace kml::jobs
