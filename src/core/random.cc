#include <sys/random.h>

#include <cerrno>

#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml {

namespace {

void fill_random(unsigned char* bytes, size_t count) {
  while (count > 0) {
    ssize_t got = getrandom(bytes, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("cannot get random bytes from the kernel", errno);
    bytes += got;
    count -= static_cast<size_t>(got);
  }
}

}  // namespace

std::string random_suffix() {
  // The alphabet of k8s.io/apimachinery/pkg/util/rand.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  unsigned char bytes[5];
  fill_random(bytes, sizeof bytes);
  std::string text;
  for (unsigned char byte : bytes) text += kAlphabet[byte % kAlphabet.size()];
  return text;
}

std::string random_hex(size_t count) {
  std::string bytes(count, '\0');
  fill_random(reinterpret_cast<unsigned char*>(bytes.data()), count);
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace kml
