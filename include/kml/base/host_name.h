#pragma once

#include <string>

namespace kml {

/// This machine's name (gethostname(2)); empty if it has none.
std::string host_name();

}  // namespace kml
