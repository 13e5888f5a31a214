#pragma once

#include <string>

namespace kml::s3 {

/// The variable that names a file with CA certificates, in PEM, for an image that has none.
inline constexpr const char* kMoreAuthorities = "KML_MORE_AUTHORITIES";

/// The CA certificates that this system trusts, in PEM, otherwise those in the file of kMoreAuthorities.
/// Empty if there are none.
std::string system_authorities();

}  // namespace kml::s3
