#pragma once

#include <string_view>

namespace kml {

/// The visible text of a whole line with a progress bar: the last part of "1%\r2%\r3%" that is not empty.
std::string_view after_carriage_returns(std::string_view text);

}  // namespace kml
