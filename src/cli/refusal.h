#pragma once

#include <optional>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/create.h"

namespace kml::cli {

/// If the cluster does not know the kind of the rejected object (job::kNoSuchKind), sets the error's fix: it
/// names the templates that the cluster can run. Leaves other errors unchanged.
void name_usable_templates(Context& context, Error& error);

/// A single error that lists up to 20 rejected objects with their reasons; empty if the server rejected none.
std::optional<Error> refusal(Context& context, const std::vector<Json>& objects,
                             const std::vector<job::Creation>& results);

}  // namespace kml::cli
