#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// defines: gzip_bytes, gunzip_bytes. Without exceptions, as kml-step is linked without them.

namespace kml {

/// Appends the bytes in the gzip format: always the same for the same bytes. False if memory is short.
bool gzip_bytes(std::string_view bytes, std::string& out);

/// The reverse, appended too. Null if it went well, else what is wrong with the bytes: "it is damaged", or
/// "it is too large" where they would give more than `limit`.
const char* gunzip_bytes(std::string_view bytes, size_t limit, std::string& out);

}  // namespace kml
