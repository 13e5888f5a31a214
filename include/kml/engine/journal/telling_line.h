#pragma once

#include <string>
#include <vector>

namespace kml::engine {

/// The line among a failed program's last lines that explains the failure best. After a Python traceback,
/// this is the exception's first line, because its message may have several lines; if there are several
/// tracebacks, the last one is used. Otherwise it is the last line that is not blank. Empty if there is none.
std::string telling_line(const std::vector<std::string>& last_lines);

}  // namespace kml::engine
