#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kml {

/// Parses a duration that a user has typed. Empty if it is invalid, or if its last number has no unit, unless
/// the duration is 0: whoever types 30 may mean seconds, minutes or days.
std::optional<std::chrono::seconds> typed_duration(std::string_view text);

/// The units that the user may have meant: "30s, 30m, 30h or 30d". Empty for a text that is not a duration.
std::string with_each_unit(const std::string& text);

/// The value of a flag. Throws usage Error if typed_duration() rejects it.
std::chrono::seconds duration_in_flag(const std::string& value, const std::string& flag);

}  // namespace kml
