#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml {

/// Converts a value's text: a number, a boolean, or otherwise the text without white space around it.
Json value_of_text(const std::string& text);

/// The output of a step that wrote this text as a value: {"value"}, and {"text"} if the value would be
/// written differently: the number of the version "1.10" is 1.1.
Json made_of_text(const std::string& text);
/// The value as the step wrote it.
Json as_written(const Json& made);

}  // namespace kml
