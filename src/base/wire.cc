#include "kml/base/wire.h"

#include <algorithm>

#include "kml/base/little_endian.h"

namespace kml {

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  constexpr size_t kLongest = 10;
  uint64_t value = 0;
  for (size_t i = 0; i < std::min(bytes.size(), kLongest); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= uint64_t{byte & 0x7FU} << (7 * i);
    if (byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return value;
  }
  return {};
}

uint64_t WireReader::varint() {
  const auto value = take_varint(rest_);
  if (!value) throw broken_();
  return *value;
}

std::string_view WireReader::take(uint64_t size) {
  if (size > rest_.size()) throw broken_();
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

int WireReader::next() {
  if (rest_.empty()) return 0;
  const uint64_t tag = varint(), number = tag >> 3;
  if (number == 0 || number >= uint64_t{1} << 29) throw broken_();
  type = static_cast<Type>(tag & 7);
  integer = 0;
  bytes = {};
  switch (type) {
    case Type::varint: integer = varint(); break;
    case Type::fixed64: integer = little_endian(take(8)); break;
    case Type::bytes: bytes = take(varint()); break;
    case Type::fixed32: integer = little_endian(take(4)); break;
    default: throw broken_();
  }
  return static_cast<int>(number);
}

}  // namespace kml
