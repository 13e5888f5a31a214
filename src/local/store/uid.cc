#include "local/store/uid.h"

#include "kml/core/text.h"

namespace kml::local {

std::string new_uid() {
  std::string hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[hex[16] & 3];  // nearly random low bits do
  for (size_t dash : {8, 13, 18, 23}) hex.insert(dash, "-");
  return hex;
}

}  // namespace kml::local
