#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kml {

/// A file in a zip archive (described in PKWARE's APPNOTE.TXT, 4.3).
struct ZipEntry {
  std::string name;
  uint32_t packed = 0, size = 0, checksum = 0,
           offset = 0;  ///< sizes in bytes, and the offset of the local header
  uint16_t method = 0;
  bool is_encrypted = false;
};

bool is_zip(std::string_view bytes);

/// The entries in the order of the archive's directory. Throws Error whose `why` explains the fault.
std::vector<ZipEntry> zip_entries(std::string_view bytes);

/// The content of an entry, after a check of its checksum. Throws Error if the entry is damaged, encrypted,
/// or larger than `limit` bytes.
std::string zip_content(std::string_view bytes, const ZipEntry& entry, size_t limit);

}  // namespace kml
