#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/base/json.h"

namespace kml::cli {

/// Warns that the printed Secrets have no contents, so that nobody creates them as they are.
void note_left_out_secrets(Context& context, const std::vector<Json>& printed);

/// Throws usage Error if the manifests have a Secret that kml has printed without its contents: it would be
/// created empty.
void refuse_left_out_secrets(const std::vector<Json>& manifests);

}  // namespace kml::cli
