#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml {

/// The exception's what() for users. The texts of nlohmann's exceptions are replaced, because they quote the
/// parsed text, which may be a Secret, and name nlohmann's functions.
std::string exception_text(const std::exception& exception);

/// The fault in a text that was parsed: "line 3, column 7: it is not valid JSON".
std::string parse_fault(const Json::exception& exception, std::string_view text);

}  // namespace kml
