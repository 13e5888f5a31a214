#pragma once

#include <functional>
#include <string>

#include "cli/context.h"
#include "kml/core/json.h"

namespace kml::cli {

/// Puts the results of a sweep, or of a file (.jsonl, .csv), into the document as its spec.warmStart, and
/// says how many there are. Throws usage Error where they are of another objective.
void warm_start(Context& context, Json& document, const std::string& from);

/// The name under which a sweep with `--fork` goes on: its own where there is none of that name, else that of
/// the last fork; where that one's space differs, a new fork's. `document_for` makes the sweep's document
/// under a name. `parent` is set to the sweep that teaches a new fork.
std::string fork_name(Context& context, const std::string& name,
                      const std::function<Json(const std::string& name)>& document_for, std::string& parent);

}  // namespace kml::cli
