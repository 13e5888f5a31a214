#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace trainer {

/// MD5 (RFC 1321) of a stream of bytes. Used to recognise files and to detect damage, not for security.
class Md5 {
 public:
  void update(const void* data, size_t size);
  /// The digest as 32 hexadecimal digits. The object must not be used afterwards.
  std::string hex();

 private:
  void block(const uint8_t* bytes);

  uint32_t state_[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  uint64_t length_ = 0;
  uint8_t pending_[64];
};

std::string md5_hex(const void* data, size_t size);

}  // namespace trainer
