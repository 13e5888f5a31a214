#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kml/core/error.h"

namespace kml {

/// Protocol Buffers' wire format (https://protobuf.dev/programming-guides/encoding/), taken apart field by
/// field.
class WireReader {
 public:
  /// `broken` makes the error that is thrown where the message is cut short or none.
  WireReader(std::string_view message, Error (*broken)()) : rest_(message), broken_(broken) {}

  enum class Type { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  /// The next field's number; 0 at the end. Its value is then in `integer` (varint) or in `bytes`; others are
  /// passed over.
  int next();
  Type type = Type::varint;
  uint64_t integer = 0;
  std::string_view bytes;

 private:
  uint64_t varint();
  std::string_view take(uint64_t size);

  std::string_view rest_;
  Error (*broken_)();
};

/// A varint at the start of the bytes, which are moved behind it. Empty if it is not whole, or longer than
/// 64 bits need: then `bytes` has ten or more.
std::optional<uint64_t> take_varint(std::string_view& bytes);

}  // namespace kml
