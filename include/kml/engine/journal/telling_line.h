#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::engine {

/// The line among a failed program's last lines that explains the failure best. After a Python traceback,
/// this is the first line of the exception, whose message may have several lines; if there are several
/// tracebacks, the last one is used. An exception is ignored if lines that are not blank follow it and
/// `cause` has an exit code other than 1, because the program must then have caught it. Without such an
/// exception, this is the last line that is not blank. Empty if all lines are blank, or if the last one has
/// neither letters nor digits, such as the end of a printed dictionary.
std::string telling_line(const std::vector<std::string>& last_lines, std::string_view cause = {});

}  // namespace kml::engine
