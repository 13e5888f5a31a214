#pragma once

#include <optional>
#include <string_view>

namespace kml {

/// The number at the start of the text, as Python's float() reads it: with an optional sign, including NaN
/// and infinities by name. A number too large for a double is infinite, and one too small is zero. Sets `end`
/// to the end of the number.
std::optional<double> real_number_at(std::string_view text, const char*& end);

}  // namespace kml
