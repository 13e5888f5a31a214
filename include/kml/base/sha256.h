#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kml {

/// Computes the SHA-256 digest (FIPS 180-4) of bytes that may come in pieces of any size. On x86-64, uses the
/// processor's SHA instructions if there are any (1.5 GB/s or more).
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// The digest of all bytes so far, as 64 lower-case hexadecimal digits. More bytes can be added later.
  std::string hex() const;

 private:
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, 64> held_ = {};  ///< an incomplete block
  size_t held_size_ = 0;
  uint64_t size_ = 0;
};

/// Whether the text looks like a SHA-256 digest: 64 lower-case hexadecimal digits.
inline bool is_sha256_hex(std::string_view text) {
  constexpr size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The digest of a complete text.
std::string sha256_hex(std::string_view bytes);

/// The digest of a file's content, which is read 1 MiB at a time. Throws system_error() if the file cannot be
/// read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace kml
