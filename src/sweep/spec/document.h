#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::sweep {

/// Throws usage Error with the path of each fault, unless the document is a kml sweep or a Katib Experiment,
/// and each of its main sections is missing or has the right type (mapping or list). After this check,
/// callers can overwrite sections. parse_sweep() checks the contents of the sections.
void require_sections(const Json& document, std::string_view source);

/// The fault in a document's apiVersion and kind; empty if both are valid.
std::string kind_problem(const Json& document);

}  // namespace kml::sweep
