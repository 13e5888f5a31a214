#pragma once

#include <chrono>
#include <string>

namespace kml {

/// The value of a flag that decides what is deleted, such as "30d". Throws usage Error for a number without a
/// unit, except 0. For other durations, such a number means seconds, but whoever writes 30 here may mean
/// days.
std::chrono::seconds age_in_flag(const std::string& value, const std::string& flag);

}  // namespace kml
