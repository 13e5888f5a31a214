#pragma once

#include <string>

namespace kml::local {

/// What becomes of the fields of Jobs and pods that the embedded server does not obey, for its man page.
std::string manual_of_fields();

}  // namespace kml::local
