#include "kml/base/tar.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace kml {

namespace {

constexpr size_t kTarBlock = 512, kNameField = 100;
constexpr std::string_view kLongName = "././@LongLink";

/// The POSIX ustar header; only the fields used here have names.
struct TarHeader {
  char name[kNameField] = {}, mode[8] = {}, uid[8] = {}, gid[8] = {}, size[12] = {}, time[12] = {},
       checksum[8] = {}, type = '0', target[kNameField] = {}, magic[6] = {'u', 's', 't', 'a', 'r', 0},
       version[2] = {'0', '0'}, rest[247] = {};
};
static_assert(sizeof(TarHeader) == kTarBlock);

void put(char* field, std::string_view text) {
  std::ranges::copy(text.substr(0, kNameField), field);
}

/// Fills the field with `digits` octal digits and a zero byte.
void put_octal(char* field, size_t digits, size_t value) {
  for (; digits > 0; value >>= 3) field[--digits] = static_cast<char>('0' + (value & 7));
}

size_t sum_of(const TarHeader& header) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  size_t sum = 0;
  for (size_t i = 0; i < kTarBlock; ++i) sum += bytes[i];
  return sum;
}

size_t padding(size_t size) {
  return (kTarBlock - size % kTarBlock) % kTarBlock;
}

/// The fields of a header other than the names.
struct TarStats {
  char type;
  size_t size, mode, modified;
};

void append_header(std::string_view name, std::string_view target, const TarStats& stats, std::string& out);

void append_long(std::string_view text, char type, std::string& out) {
  append_header(kLongName, {}, {type, text.size() + 1, 0644, 0}, out);
  out.append(text).append(1 + padding(text.size() + 1), '\0');
}

void append_header(std::string_view name, std::string_view target, const TarStats& stats, std::string& out) {
  if (name.size() > kNameField) append_long(name, 'L', out);
  if (target.size() > kNameField) append_long(target, 'K', out);
  TarHeader header;
  put(header.name, name);
  put(header.target, target);
  header.type = stats.type;
  put_octal(header.mode, 7, stats.mode);
  put_octal(header.uid, 7, 0);
  put_octal(header.gid, 7, 0);
  put_octal(header.size, 11, stats.size);
  put_octal(header.time, 11, stats.modified);
  std::memset(header.checksum, ' ', sizeof header.checksum);
  const size_t sum = sum_of(header);
  put_octal(header.checksum, 6, sum);
  header.checksum[6] = '\0';
  out.append(reinterpret_cast<const char*>(&header), kTarBlock);
}

std::string_view text_in(const char* field, size_t size) {
  return {field, std::min(::strnlen(field, size), size)};
}

std::optional<size_t> octal_in(const char* field, size_t size) {
  size_t value = 0;
  for (const char c : text_in(field, size)) {
    if (c == ' ') break;
    if (c < '0' || c > '7') return {};
    value = value << 3 | static_cast<size_t>(c - '0');
  }
  return value;
}

bool is_sound(TarHeader header) {
  const std::optional<size_t> sum = octal_in(header.checksum, sizeof header.checksum);
  std::memset(header.checksum, ' ', sizeof header.checksum);
  return sum && *sum == sum_of(header) && octal_in(header.size, sizeof header.size);
}

}  // namespace

void append_tar_header(const TarEntry& entry, size_t size, std::string& out) {
  const size_t mode = entry.mode != 0 ? entry.mode : entry.is_executable ? 0755 : 0644;
  append_header(entry.name, entry.target, {static_cast<char>(entry.type), size, mode, entry.modified}, out);
}

void append_tar_padding(size_t size, std::string& out) {
  out.append(padding(size), '\0');
}

void append_tar(const TarEntry& entry, std::string& out) {
  append_tar_header(entry, entry.content.size(), out);
  out.append(entry.content);
  append_tar_padding(entry.content.size(), out);
}

void append_tar_end(std::string& out) {
  out.append(2 * kTarBlock, '\0');
}

bool TarReader::next(TarEntry& entry) {
  entry = {};
  std::string long_name, long_target;
  while (true) {
    if (bytes_.size() < kTarBlock) return damaged();
    TarHeader header;
    std::memcpy(&header, bytes_.data(), kTarBlock);
    if (header.name[0] == '\0') return false;
    if (!is_sound(header)) return damaged();
    const size_t size = *octal_in(header.size, sizeof header.size);
    bytes_.remove_prefix(kTarBlock);
    if (size > bytes_.size() || padding(size) > bytes_.size() - size) return damaged();
    const std::string_view content = bytes_.substr(0, size);
    bytes_.remove_prefix(size + padding(size));
    if (header.type == 'L' || header.type == 'K') {
      (header.type == 'L' ? long_name : long_target) = content.substr(0, content.find('\0'));
      continue;
    }
    if (header.type != '0' && header.type != '2' && header.type != '5') return damaged();
    entry.type = static_cast<TarEntry::Type>(header.type);
    entry.name = long_name.empty() ? std::string(text_in(header.name, kNameField)) : long_name;
    entry.target = long_target.empty() ? std::string(text_in(header.target, kNameField)) : long_target;
    entry.is_executable = (octal_in(header.mode, sizeof header.mode).value_or(0) & 0100) != 0;
    entry.content = content;
    return true;
  }
}

}  // namespace kml
