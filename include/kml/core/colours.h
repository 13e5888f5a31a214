#pragma once

#include <string>
#include <string_view>

namespace kml {

/// Without a terminal's control sequences (CSI, ECMA-48 section 5.4): colours, cleared lines. One that is
/// cut off at the end is taken away too.
std::string without_colours(std::string_view text);

}  // namespace kml
