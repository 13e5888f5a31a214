#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml {

/// The exception's what() for the user, except for nlohmann's exceptions: their texts quote the text that was
/// read, which may be a Secret, and name nlohmann's functions. Those get another text.
std::string exception_text(const std::exception& exception);

/// The same for a text that was parsed: "line 3, column 7: it is not valid JSON".
std::string parse_fault(const Json::exception& exception, std::string_view text);

}  // namespace kml
