#pragma once

#include "cli/context.h"

namespace kml::cli {

/// To a refusal for a kind that the cluster does not have (jobs::kNoSuchKind) it adds the templates that the
/// cluster can run. Any other error stays as it is.
void name_usable_templates(Context& context, Error& error);

}  // namespace kml::cli
