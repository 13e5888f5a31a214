#include "kube/list/protobuf.h"

#include <string>

#include "kml/core/clock.h"
#include "kml/core/wire.h"

namespace kml::kube {

namespace {

Error broken() {
  return {ErrorCode::unreachable, "the server's answer is broken", "it is no protobuf message"};
}

/// Key and value of a map's entry.
std::pair<std::string_view, std::string_view> entry_of(std::string_view bytes) {
  std::pair<std::string_view, std::string_view> entry;
  WireReader reader(bytes, broken);
  while (const int number = reader.next())
    if (number <= 2) (number == 1 ? entry.first : entry.second) = reader.bytes;
  return entry;
}

std::string_view text_of_quantity(std::string_view bytes) {
  WireReader reader(bytes, broken);
  while (const int number = reader.next())
    if (number == 1) return reader.bytes;
  return {};
}

std::optional<std::string> time_of(std::string_view bytes) {
  WireReader reader(bytes, broken);
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

Json from_protobuf(std::string_view bytes, Message message) {
  Json object = Json::object();
  WireReader reader(bytes, broken);
  while (const int number = reader.next())
    for (const Field& field : message)
      if (field.number == number) take(field, reader, object);
  return object;
}

}  // namespace kml::kube
