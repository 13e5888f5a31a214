#pragma once

#include <optional>
#include <string_view>

namespace kml {

/// The number at the start of the text, as Python's float() reads it: with an optional sign, NaN and
/// infinities by their names, infinite if it is too large for a double, and zero if it is too small. Sets
/// `end` to the end of the number.
std::optional<double> real_number_at(std::string_view text, const char*& end);

}  // namespace kml
