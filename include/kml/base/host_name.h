#pragma once

#include <string>

namespace kml {

/// The name of this machine (gethostname(2)); empty if it has none.
std::string host_name();

}  // namespace kml
