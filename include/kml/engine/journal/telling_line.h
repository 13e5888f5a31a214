#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::engine {

/// The line among a failed program's last lines that explains the failure best. After a Python traceback,
/// this is the exception's first line, because its message may have several lines; if there are several
/// tracebacks, the last one is used. An exception is not used if the program caught it: `cause` has an exit
/// code other than 1, and more lines follow. Then, and without a traceback, this is the last line that is not
/// blank. Empty if all lines are blank.
std::string telling_line(const std::vector<std::string>& last_lines, std::string_view cause = {});

}  // namespace kml::engine
