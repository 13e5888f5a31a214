#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::mcp {

// Models mistype the names of arguments in ways of their own: timeLimit for time-limit, cmd for command, name
// for job.

/// The fix for an unknown name: the known name that was probably meant, if there is one, then all known
/// names.
std::string fix_for_name(std::string_view typed, const std::vector<std::string>& known);

/// Throws usage Error for the first member of `arguments` that is not in `known`. `owner` names what takes
/// the arguments, such as "tool why".
void require_known_names(const Json& arguments, const std::vector<std::string>& known,
                         const std::string& owner);

}  // namespace kml::mcp
