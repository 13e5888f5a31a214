#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kml {

/// The number in at most eight bytes; the lowest byte comes first.
inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace kml
