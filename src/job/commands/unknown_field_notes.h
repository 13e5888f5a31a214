#pragma once

#include "cli/context.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// Prints notes about fields that kml does not know. If a server `has_checked` them, only prints those in
/// custom resources: a server may keep such a field, and the operator then ignores it.
void note_unknown_fields(Context& context, const job::SubmitPlan& plan, bool has_checked);

}  // namespace kml::cli
