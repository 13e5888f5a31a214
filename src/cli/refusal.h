#pragma once

#include <optional>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/submit/create.h"

namespace kml::cli {

/// One error for all objects that the server refused, with each one's reason; empty where it took them all.
std::optional<Error> refusal(Context& context, const std::vector<Json>& objects,
                             const std::vector<jobs::Creation>& results);

}  // namespace kml::cli
