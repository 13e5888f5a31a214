#pragma once

#include <string_view>

namespace kml {

/// The visible text of a complete line with a progress bar: in "1%\r2%\r3%", the last part that is not empty.
std::string_view after_carriage_returns(std::string_view text);

}  // namespace kml
