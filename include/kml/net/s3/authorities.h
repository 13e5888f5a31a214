#pragma once

#include <string>

namespace kml::s3 {

/// The variable that names a file with CA certificates in PEM, for an image that contains none.
inline constexpr const char* kMoreAuthorities = "KML_MORE_AUTHORITIES";

/// The CA certificates that this system trusts, in PEM. If it has none, those in the file that
/// kMoreAuthorities names, otherwise empty.
std::string system_authorities();

}  // namespace kml::s3
