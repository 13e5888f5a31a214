#pragma once

#include <optional>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/submit/create.h"

namespace kml::cli {

/// To a refusal for a kind that the cluster does not have (jobs::kNoSuchKind) it adds the templates that the
/// cluster can run. Any other error stays as it is.
void name_usable_templates(Context& context, Error& error);

/// One error for all objects that the server refused, with each one's reason; empty if it took them all.
std::optional<Error> refusal(Context& context, const std::vector<Json>& objects,
                             const std::vector<jobs::Creation>& results);

}  // namespace kml::cli
