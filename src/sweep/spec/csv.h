#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::sweep {

/// The rows of JSON lines, or of CSV with a header (RFC 4180), each an object; what CSV holds are texts.
/// Throws usage Error, with the line, for what is neither.
std::vector<Json> rows_of(std::string_view text, const std::string& source);

}  // namespace kml::sweep
