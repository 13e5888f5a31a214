#include "engine/watching/event_file.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/little_endian.h"
#include "kml/base/wire.h"

namespace kml::engine {

namespace {

constexpr std::array<std::uint32_t, 256> castagnoli_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78U : 0);
    table[byte] = crc;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = castagnoli_table();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~crc;
}

namespace {

/// Whether the bytes have this checksum, which is masked (tensorflow/core/lib/hash/crc32c.h).
bool has_checksum(std::string_view bytes, std::string_view masked) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8U == little_endian(masked);
}

Error broken_event() {
  return Error(ErrorCode::failure, "the event file is damaged");
}

/// A single number from bytes of a tensor's element type.
std::optional<double> number_of_type(std::uint64_t type, std::string_view bytes) {
  constexpr std::uint64_t kFloat = 1, kDouble = 2, kInt32 = 3, kInt64 = 9;
  if (type == kFloat && bytes.size() == 4)
    return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes)));
  if (type == kDouble && bytes.size() == 8) return std::bit_cast<double>(little_endian(bytes));
  if (type == kInt32 && bytes.size() == 4) return static_cast<std::int32_t>(little_endian(bytes));
  if (type == kInt64 && bytes.size() == 8)
    return static_cast<double>(static_cast<std::int64_t>(little_endian(bytes)));
  return {};
}

/// The number in a TensorProto without dimensions; empty for any other tensor. The number is in
/// tensor_content or in the list for its type. Such a list may be packed.
std::optional<double> scalar_of(std::string_view tensor) {
  std::uint64_t type = 0;
  std::optional<double> listed;
  std::string_view content;
  WireReader field(tensor, broken_event);
  while (const int number = field.next()) {
    if (number == 1) type = field.integer;
    if (number == 2 && !field.bytes.empty()) return {};  // the tensor has dimensions, so it is not a scalar
    if (number == 4) content = field.bytes;
    if ((number == 5 || number == 6) && field.type == WireReader::Type::bytes) content = field.bytes;
    if (number == 5 && field.type == WireReader::Type::fixed32)
      listed = std::bit_cast<float>(static_cast<std::uint32_t>(field.integer));
    if (number == 6 && field.type == WireReader::Type::fixed64) listed = std::bit_cast<double>(field.integer);
    if ((number == 7 || number == 10) && field.type == WireReader::Type::varint)
      listed = static_cast<double>(static_cast<std::int64_t>(field.integer));
    if ((number == 7 || number == 10) && field.type == WireReader::Type::bytes)
      if (const auto value = take_varint(field.bytes))
        listed = static_cast<double>(static_cast<std::int64_t>(*value));
  }
  return content.empty() ? listed : number_of_type(type, content);
}

/// The scalars in an Event message.
std::vector<EventScalar> scalars_of(std::string_view event) {
  std::vector<EventScalar> scalars;
  std::int64_t step = 0;
  WireReader field(event, broken_event);
  while (const int number = field.next()) {
    if (number == 2) step = static_cast<std::int64_t>(field.integer);
    if (number != 5) continue;
    WireReader summary(field.bytes, broken_event);
    while (const int part = summary.next()) {
      if (part != 1) continue;
      std::string tag;
      std::optional<double> value;
      WireReader member(summary.bytes, broken_event);
      while (const int which = member.next()) {
        if (which == 1) tag = member.bytes;
        if (which == 2 && member.type == WireReader::Type::fixed32)
          value = std::bit_cast<float>(static_cast<std::uint32_t>(member.integer));
        if (which == 8) value = scalar_of(member.bytes);
      }
      if (value) scalars.push_back({std::move(tag), *value});
    }
  }
  for (EventScalar& scalar : scalars) scalar.step = static_cast<double>(step);
  return scalars;
}

}  // namespace

std::vector<EventScalar> EventFile::add(std::string_view bytes) {
  constexpr size_t kHeader = 12, kFooter = 4;
  constexpr std::uint64_t kLongest = 64 << 20;
  std::vector<EventScalar> scalars;
  if (is_broken_) return scalars;
  rest_ += bytes;
  std::string_view rest = rest_;
  while (rest.size() >= kHeader) {
    const std::uint64_t size = little_endian(rest.substr(0, 8));
    is_broken_ = size > kLongest || !has_checksum(rest.substr(0, 8), rest.substr(8, 4));
    if (is_broken_ || rest.size() < kHeader + size + kFooter) break;
    const std::string_view record = rest.substr(kHeader, size);
    is_broken_ = !has_checksum(record, rest.substr(kHeader + size, kFooter));
    if (is_broken_) break;
    try {
      for (EventScalar& scalar : scalars_of(record)) scalars.push_back(std::move(scalar));
    } catch (const Error&) {
      is_broken_ = true;
      break;
    }
    rest.remove_prefix(kHeader + size + kFooter);
  }
  rest_ = std::string(rest);
  return scalars;
}

}  // namespace kml::engine
