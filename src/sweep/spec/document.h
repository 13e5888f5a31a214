#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::sweep {

/// Throws usage Error, with each path, unless the document is a kml sweep or a Katib Experiment whose
/// sections each have the right type (mapping or list) or are missing. Callers can then overwrite sections.
/// parse_sweep() checks their contents.
void require_sections(const Json& document, std::string_view source);

/// The fault in a document's apiVersion and kind; empty if they are valid.
std::string kind_problem(const Json& document);

}  // namespace kml::sweep
