#pragma once

#include <string>
#include <string_view>

namespace kml {

/// Lines as they are to be appended to a file that is open for reading and locked: after a newline where a
/// crash cut its last line off, which would be glued to them.
std::string after_torn_line(int file, std::string_view text);

}  // namespace kml
