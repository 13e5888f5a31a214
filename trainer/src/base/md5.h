#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct mbedtls_md_context_t;

namespace trainer {

/// MD5 of a stream of bytes, by Mbed TLS. Used to recognize files and to detect damage, not for security.
class Md5 {
 public:
  Md5();
  ~Md5();
  void update(const void* data, size_t size);
  /// The digest as 32 hexadecimal digits. Do not use the object after this call.
  std::string hex();

 private:
  std::unique_ptr<mbedtls_md_context_t> context_;
};

std::string md5_hex(const void* data, size_t size);

}  // namespace trainer
