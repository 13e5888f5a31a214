#pragma once

#include <string>
#include <vector>

namespace kml::engine {

/// The line of a failed program's last lines that says best why it failed: the first line of the exception
/// after the last Python traceback, whose message may have several lines; otherwise the last line that is not
/// blank. Empty if there is none.
std::string telling_line(const std::vector<std::string>& last_lines);

}  // namespace kml::engine
