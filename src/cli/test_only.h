#pragma once

#include "cli/submit_request.h"

namespace kml::cli {

/// `--test-only`: prints what a submit would come to, and makes nothing. Throws Error where it would be
/// refused or could not run.
int test_only(Context& context, const Prepared& prepared);

}  // namespace kml::cli
