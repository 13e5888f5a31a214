#include "job/queue/packed_objects.h"

#include <cstring>

namespace kml::job {

namespace {

using Type = Json::value_t;

/// Objects whose members are names of the user's choice could all have different shapes.
constexpr size_t kMostShapes = 1000;

template <typename Number>
void append_number_bytes(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
Number next_number(const char*& from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  from += sizeof number;
  return number;
}

void append_sized_text(const std::string& text, std::string& out) {
  append_number_bytes(static_cast<std::uint32_t>(text.size()), out);
  out += text;
}

/// Appends the texts and numbers, and a text that is different for each shape.
void take_apart(const Json& value, std::string& shape, std::string& content) {
  shape += static_cast<char>('0' + static_cast<int>(value.type()));
  switch (value.type()) {
    case Type::object:
      append_number_bytes(static_cast<std::uint32_t>(value.size()), shape);
      for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
        append_sized_text(key, shape);
        take_apart(member, shape, content);
      }
      break;
    case Type::array:
      append_number_bytes(static_cast<std::uint32_t>(value.size()), shape);
      for (const Json& item : value) take_apart(item, shape, content);
      break;
    case Type::string: append_sized_text(value.get_ref<const std::string&>(), content); break;
    case Type::boolean: shape += value.get<bool>() ? 't' : 'f'; break;
    case Type::number_integer: append_number_bytes(value.get<std::int64_t>(), content); break;
    case Type::number_unsigned: append_number_bytes(value.get<std::uint64_t>(), content); break;
    case Type::number_float: append_number_bytes(value.get<double>(), content); break;
    default: break;
  }
}

void empty_texts(Json& value) {
  if (value.is_string()) value = "";
  if (value.is_structured())
    for (Json& item : value) empty_texts(item);
}

/// Fills a shape with the texts and numbers in `from`.
void fill_shape(Json& value, const char*& from) {
  switch (value.type()) {
    case Type::object:
    case Type::array:
      for (Json& item : value) fill_shape(item, from);
      break;
    case Type::string: {
      const auto size = next_number<std::uint32_t>(from);
      value.get_ref<std::string&>().assign(from, size);
      from += size;
      break;
    }
    case Type::number_integer: value = next_number<std::int64_t>(from); break;
    case Type::number_unsigned: value = next_number<std::uint64_t>(from); break;
    case Type::number_float: value = next_number<double>(from); break;
    default: break;
  }
}

}  // namespace

void PackedObjects::pack(Json& object) {
  if (!object.is_object()) return;
  std::string shape, packed(sizeof(std::uint32_t), '\0');
  take_apart(object, shape, packed);
  const auto [number, is_new] =
      numbers_.try_emplace(std::move(shape), static_cast<std::uint32_t>(shapes_.size()));
  if (is_new && shapes_.size() == kMostShapes) {
    numbers_.erase(number);
    return;
  }
  if (is_new) empty_texts(shapes_.emplace_back(object));
  std::memcpy(packed.data(), &number->second, sizeof number->second);
  object = std::string(packed);  // a copy has no unused capacity
}

Json PackedObjects::unpacked(const Json& object) const {
  if (!object.is_string()) return object;
  const char* from = object.get_ref<const std::string&>().data();
  Json whole = shapes_.at(next_number<std::uint32_t>(from));
  fill_shape(whole, from);
  return whole;
}

QueueRecord PackedObjects::unpacked(const QueueRecord& record) const {
  QueueRecord whole{unpacked(record.job), unpacked(record.workload), {}};
  for (const Json& pod : record.pods) whole.pods.push_back(unpacked(pod));
  return whole;
}

void PackedObjects::unpack(std::vector<Json>& objects) const {
  for (Json& object : objects)
    if (object.is_string()) object = unpacked(object);
}

}  // namespace kml::job
