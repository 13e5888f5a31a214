#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::http {

/// The texts of a Warning header (RFC 9111, 5.5) that carry code 299, the one that Kubernetes uses. What is
/// malformed, and what follows it, is left out.
std::vector<std::string> warnings_in(std::string_view header);

}  // namespace kml::http
