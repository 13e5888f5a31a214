#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kml/base/error.h"

namespace kml {

/// Reads a message in Protocol Buffers' wire format (https://protobuf.dev/programming-guides/encoding/), one
/// field at a time.
class WireReader {
 public:
  /// If the message is incomplete or invalid, throws the error made by `broken`.
  WireReader(std::string_view message, Error (*broken)()) : rest_(message), broken_(broken) {}

  enum class Type { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  /// Reads the next field and returns its number; returns 0 at the end. The value is then in `bytes` or in
  /// `integer`. For a fixed-size number, `integer` has its bits.
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

/// Removes a varint from `bytes` and returns it. Empty if it is incomplete, or longer than ten bytes; in the
/// second case, `bytes` has at least ten bytes.
std::optional<uint64_t> take_varint(std::string_view& bytes);

}  // namespace kml
