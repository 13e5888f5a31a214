#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// defines: gzip_bytes, gunzip_bytes, inflate_bytes. Uses no exceptions, because kml-step is linked without
// support for them.

namespace kml {

/// Compresses the bytes with gzip, and appends the result. The same bytes always give the same result.
/// Returns false if memory runs out.
bool gzip_bytes(std::string_view bytes, std::string& out);

/// Decompresses the bytes, and appends the result. Returns null on success, otherwise the fault, such as "it
/// is damaged", or "it is too large" if the result exceeds `limit` bytes.
const char* gunzip_bytes(std::string_view bytes, size_t limit, std::string& out);

/// Like gunzip_bytes(), for bytes without a gzip header (RFC 1951), as in zip archives.
const char* inflate_bytes(std::string_view bytes, size_t limit, std::string& out);

}  // namespace kml
