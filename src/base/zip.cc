#include "base/zip.h"

#include <zlib.h>

#include "kml/base/error.h"
#include "kml/base/gzip_bytes.h"

namespace kml {

namespace {

constexpr size_t kEndRecord = 22, kDirectoryEntry = 46, kLocalHeader = 30;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr size_t kMostEntries = 1000;

Error zip_fault(const std::string& why) {
  return {ErrorCode::failure, "cannot read the zip archive", why};
}

/// A number of 2 or 4 bytes, in little-endian order.
uint32_t number_at(std::string_view bytes, size_t at, size_t count) {
  if (at > bytes.size() || bytes.size() - at < count) throw zip_fault("it is cut short");
  uint32_t number = 0;
  for (size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

uint16_t short_at(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(number_at(bytes, at, 2));
}

std::string_view part_of(std::string_view bytes, size_t at, size_t count) {
  if (at > bytes.size() || bytes.size() - at < count) throw zip_fault("it is cut short");
  return bytes.substr(at, count);
}

}  // namespace

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

std::vector<ZipEntry> zip_entries(std::string_view bytes) {
  const size_t end = bytes.rfind("PK\x05\x06");  // a comment of up to 64 KiB may follow
  if (end == std::string_view::npos || bytes.size() - end < kEndRecord) throw zip_fault("it is cut short");
  const size_t count = short_at(bytes, end + 10);
  if (count > kMostEntries) throw zip_fault("it has more than " + std::to_string(kMostEntries) + " files");
  std::vector<ZipEntry> entries;
  size_t at = number_at(bytes, end + 16, 4);
  for (size_t i = 0; i < count; ++i) {
    if (part_of(bytes, at, 4) != "PK\x01\x02") throw zip_fault("its directory is damaged");
    const size_t name_size = short_at(bytes, at + 28);
    entries.push_back({.name = std::string(part_of(bytes, at + kDirectoryEntry, name_size)),
                       .packed = number_at(bytes, at + 20, 4),
                       .size = number_at(bytes, at + 24, 4),
                       .checksum = number_at(bytes, at + 16, 4),
                       .offset = number_at(bytes, at + 42, 4),
                       .method = short_at(bytes, at + 10),
                       .is_encrypted = (short_at(bytes, at + 8) & 1) != 0});
    at += kDirectoryEntry + name_size + short_at(bytes, at + 30) + short_at(bytes, at + 32);
  }
  return entries;
}

std::string zip_content(std::string_view bytes, const ZipEntry& entry, size_t limit) {
  if (entry.is_encrypted) throw zip_fault(entry.name + " is encrypted");
  if (entry.size > limit) throw zip_fault(entry.name + " is too large");
  if (part_of(bytes, entry.offset, 4) != "PK\x03\x04") throw zip_fault(entry.name + " is damaged");
  const size_t begin =
      entry.offset + kLocalHeader + short_at(bytes, entry.offset + 26) + short_at(bytes, entry.offset + 28);
  const std::string_view packed = part_of(bytes, begin, entry.packed);
  std::string content;
  if (entry.method == kStored)
    content = packed;
  else if (entry.method != kDeflated)
    throw zip_fault(entry.name + " has an unsupported compression method");
  else if (const char* fault = inflate_bytes(packed, limit, content))
    throw zip_fault(entry.name + ": " + fault);
  const auto* text = reinterpret_cast<const Bytef*>(content.data());
  if (content.size() != entry.size || ::crc32_z(0, text, content.size()) != entry.checksum)
    throw zip_fault(entry.name + " is damaged");
  return content;
}

}  // namespace kml
