#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml {

/// Turns a text into a value: a number, unless is_like_hash(), a boolean, or else the text without white
/// space around it.
Json value_of_text(const std::string& text);

/// The number in the text if it would be printed as the same text, such as 3.1; otherwise the text itself,
/// such as "3.10", "007" or "1e-4".
Json exact_value_of(const std::string& text);

/// The output of a step that wrote this text as a value: {"value"}, and also {"text"} if the value would be
/// printed differently from the text. For example, the version "1.10" is read as a number and would be
/// printed as 1.1.
Json made_of_text(const std::string& text);
/// The value as the step wrote it, for example "1.10".
Json as_written(const Json& made);

}  // namespace kml
