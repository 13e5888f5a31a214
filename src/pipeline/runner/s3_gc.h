#pragma once

#include "kml/base/clock.h"
#include "kml/net/s3/client.h"
#include "pipeline/engine/gc.h"

namespace kml::pipeline {

/// Removes results from a bucket of S3Store that have not been used for `options.keep`, and the trees and
/// files that no other result and no pin (s3_pins.h) needs. Keeps everything written or used within the last
/// day, so that it may run at the same time as engines. Does not check which runs need a result, because they
/// may be on other machines. Leaves objects that S3Store did not write. Only uses `keep` and `is_dry_run` of
/// the options.
GcReport collect(s3::Client& client, const GcOptions& options, Time now);

}  // namespace kml::pipeline
