#include "base/md5.h"

#include <mbedtls/md.h>

#include "base/error.h"

namespace trainer {

namespace {

void check(int status) {
  if (status != 0) throw Error("cannot compute MD5", "Mbed TLS reports " + std::to_string(status), "");
}

}  // namespace

Md5::Md5() : context_(std::make_unique<mbedtls_md_context_t>()) {
  mbedtls_md_init(context_.get());
  check(mbedtls_md_setup(context_.get(), mbedtls_md_info_from_type(MBEDTLS_MD_MD5), 0));
  check(mbedtls_md_starts(context_.get()));
}

Md5::~Md5() {
  mbedtls_md_free(context_.get());
}

void Md5::update(const void* data, size_t size) {
  check(mbedtls_md_update(context_.get(), static_cast<const unsigned char*>(data), size));
}

std::string Md5::hex() {
  unsigned char digest[16];
  check(mbedtls_md_finish(context_.get(), digest));
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string md5_hex(const void* data, size_t size) {
  Md5 md5;
  md5.update(data, size);
  return md5.hex();
}

}  // namespace trainer
