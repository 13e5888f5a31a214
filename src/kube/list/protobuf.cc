#include "kube/list/protobuf.h"

#include <string>

#include "kml/core/clock.h"
#include "kml/core/error.h"

namespace kml::kube {

namespace {

Error broken() {
  return {ErrorCode::unreachable, "the server's answer is broken", "it is no protobuf message"};
}

std::string_view take_bytes(std::string_view& from, uint64_t size) {
  if (size > from.size()) throw broken();
  const std::string_view taken = from.substr(0, size);
  from.remove_prefix(size);
  return taken;
}

uint64_t whole_varint(std::string_view& bytes) {
  const auto value = take_varint(bytes);
  if (!value) throw broken();
  return *value;
}

/// Key and value of a map's entry.
std::pair<std::string_view, std::string_view> entry_of(std::string_view bytes) {
  std::pair<std::string_view, std::string_view> entry;
  WireReader reader(bytes);
  while (const int number = reader.next())
    if (number <= 2) (number == 1 ? entry.first : entry.second) = reader.bytes;
  return entry;
}

std::string_view text_of_quantity(std::string_view bytes) {
  WireReader reader(bytes);
  while (const int number = reader.next())
    if (number == 1) return reader.bytes;
  return {};
}

std::optional<std::string> time_of(std::string_view bytes) {
  WireReader reader(bytes);
  while (const int number = reader.next())
    if (number == 1 && reader.integer != 0)
      return rfc3339(Time(std::chrono::seconds(static_cast<int64_t>(reader.integer))));
  return {};
}

void take(const Field& field, const WireReader& reader, Json& object) {
  const auto member = [&]() -> Json& { return object[std::string(field.name)]; };
  const auto number = static_cast<int64_t>(reader.integer);
  switch (field.type) {
    case Field::Type::text:
      if (!reader.bytes.empty()) member() = reader.bytes;
      break;
    case Field::Type::number: member() = number; break;
    case Field::Type::count:
      if (number != 0) member() = number;
      break;
    case Field::Type::boolean:
      if (number != 0) member() = true;
      break;
    case Field::Type::time:
      if (auto text = time_of(reader.bytes)) member() = std::move(*text);
      break;
    case Field::Type::object: member() = from_protobuf(reader.bytes, field.message); break;
    case Field::Type::list:
      if (Json item = from_protobuf(reader.bytes, field.message); !field.keeps || field.keeps(item))
        member().push_back(std::move(item));
      break;
    case Field::Type::text_list: member().push_back(reader.bytes); break;
    case Field::Type::text_map: {
      const auto [key, value] = entry_of(reader.bytes);
      if (!field.keeps_key || field.keeps_key(key)) member()[std::string(key)] = value;
      break;
    }
    case Field::Type::quantity_map: {
      const auto [key, value] = entry_of(reader.bytes);
      member()[std::string(key)] = text_of_quantity(value);
      break;
    }
  }
}

}  // namespace

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  constexpr size_t kLongest = 10;
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == kLongest) throw broken();
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return {};
}

int WireReader::next() {
  if (rest_.empty()) return 0;
  const uint64_t tag = whole_varint(rest_);
  integer = 0;
  bytes = {};
  switch (tag & 7) {
    case 0: integer = whole_varint(rest_); break;
    case 1: take_bytes(rest_, 8); break;
    case 2: bytes = take_bytes(rest_, whole_varint(rest_)); break;
    case 5: take_bytes(rest_, 4); break;
    default: throw broken();
  }
  const uint64_t number = tag >> 3;
  if (number == 0 || number >= uint64_t{1} << 29) throw broken();
  return static_cast<int>(number);
}

Json from_protobuf(std::string_view bytes, Message message) {
  Json object = Json::object();
  WireReader reader(bytes);
  while (const int number = reader.next())
    for (const Field& field : message)
      if (field.number == number) take(field, reader, object);
  return object;
}

}  // namespace kml::kube
