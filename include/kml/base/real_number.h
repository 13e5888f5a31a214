#pragma once

#include <optional>
#include <string_view>

namespace kml {

/// The number at the start of the text, with an optional sign. Also reads NaN and infinities by name. A
/// number too large for a double is infinite, and one too small is zero. Sets `end` to the end of the number.
std::optional<double> real_number_at(std::string_view text, const char*& end);

/// Whether the number's text is probably the abbreviated hash of a commit or a file: "1234e56". Programs
/// print a sign or a point in numbers with an exponent: "1e+16", "1.5e7".
bool is_like_hash(std::string_view number);

}  // namespace kml
