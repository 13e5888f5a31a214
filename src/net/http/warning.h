#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::http {

/// The texts in a Warning header (RFC 9111, 5.5) that have the code 299, which Kubernetes uses. Leaves out a
/// malformed part and everything after it.
std::vector<std::string> warnings_in(std::string_view header);

}  // namespace kml::http
