#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::local {

/// The paths of the fields that a JSON text gives more than once ("spec.containers[0].name"), which a parsed
/// object no longer tells. The text has been parsed before.
std::vector<std::string> duplicate_fields(std::string_view json);

}  // namespace kml::local
