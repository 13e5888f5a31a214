#pragma once

#include "kml/base/clock.h"
#include "kml/net/s3/client.h"
#include "pipeline/engine/gc.h"

namespace kml::pipeline {

/// Removes results from an S3Store's bucket if they were not used for `options.keep`, and the trees and files
/// that no other result and no pin (s3_pins.h) needs. Keeps everything that was written or used in the last
/// day, so that engines may run at the same time. Does not check which runs need a result, because the runs
/// may be on other machines. Ignores objects that S3Store did not write. Of the options, only uses `keep` and
/// `is_dry_run`.
GcReport collect(s3::Client& client, const GcOptions& options, Time now);

}  // namespace kml::pipeline
