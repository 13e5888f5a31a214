#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// Warns that a dry run of the plan prints Secrets without their contents, so that nobody creates them as
/// they are printed.
void note_left_out_secrets(Context& context, const job::SubmitPlan& plan);

/// Throws usage Error if the manifests have a Secret that kml has printed without its contents: it would be
/// created empty.
void refuse_left_out_secrets(const std::vector<Json>& manifests);

}  // namespace kml::cli
