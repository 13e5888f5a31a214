#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kml/core/error.h"

namespace kml {

/// Reads a message in Protocol Buffers' wire format (https://protobuf.dev/programming-guides/encoding/) field
/// by field.
class WireReader {
 public:
  /// `broken` makes the error to throw if the message is cut short or invalid.
  WireReader(std::string_view message, Error (*broken)()) : rest_(message), broken_(broken) {}

  enum class Type { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  /// The next field's number; 0 at the end. Its value is then in `integer` (varint) or `bytes`. Skips fields
  /// of other types.
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

/// Reads a varint and advances `bytes` past it. Empty if it is incomplete, or longer than 64 bits need: in
/// that case `bytes` has ten bytes or more.
std::optional<uint64_t> take_varint(std::string_view& bytes);

}  // namespace kml
