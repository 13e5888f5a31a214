#pragma once

#include <optional>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/create.h"

namespace kml::cli {

/// If the cluster does not have the rejected kind (job::kNoSuchKind), adds to the error which templates the
/// cluster can run. Other errors stay unchanged.
void name_usable_templates(Context& context, Error& error);

/// One error for all rejected objects, with a reason for each; empty if the server accepted all.
std::optional<Error> refusal(Context& context, const std::vector<Json>& objects,
                             const std::vector<job::Creation>& results);

}  // namespace kml::cli
