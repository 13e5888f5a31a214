#pragma once

#include <string>
#include <string_view>

namespace kml {

/// The SHA-1 digest (FIPS 180-4), as 20 raw bytes. Only for protocols that require it, because SHA-1 is not
/// secure.
std::string sha1(std::string_view bytes);

}  // namespace kml
