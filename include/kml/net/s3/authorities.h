#pragma once

#include <string>

namespace kml::s3 {

/// The variable that names a file with CA certificates in PEM, for an image that contains none.
inline constexpr const char* kMoreAuthorities = "KML_MORE_AUTHORITIES";

/// The CA certificates that this system trusts, in PEM. If the system has none, the CA certificates in the
/// file that the variable kMoreAuthorities names. Empty if there is no such file, either.
std::string system_authorities();

}  // namespace kml::s3
