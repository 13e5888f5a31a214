#pragma once

#include <string>
#include <vector>

namespace kml::engine {

/// The line among a failed program's last lines that best explains its failure: the first line of the
/// exception after the last Python traceback, whose message may have several lines; otherwise the last line
/// that is not blank. Empty if there is none.
std::string telling_line(const std::vector<std::string>& last_lines);

}  // namespace kml::engine
