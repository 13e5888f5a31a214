#pragma once

#include <string>

namespace kml::local {

/// A new random UUID (version 4), as the API server gives every object.
std::string new_uid();

}  // namespace kml::local
