#pragma once

#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::sweep {

/// Throws usage Error, with each path, unless the document is a sweep of kml or an Experiment of Katib whose
/// sections are mappings and lists, or missing, as they have to be: others can then be written over them.
/// parse_sweep() looks at what they hold.
void require_sections(const Json& document, std::string_view source);

/// What is wrong with a document's apiVersion and kind; empty if nothing is.
std::string kind_problem(const Json& document);

}  // namespace kml::sweep
