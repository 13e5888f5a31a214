#include "kube/list/protobuf_list.h"

#include <string>

#include "kml/base/clock.h"
#include "kml/base/wire.h"

namespace kml::kube {

namespace {

Error broken() {
  return {ErrorCode::unreachable, "the server's response is invalid", "it is not a protobuf message"};
}

/// The key and value of an entry in a map.
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
      return rfc3339(time_after_epoch(std::chrono::seconds(static_cast<int64_t>(reader.integer))));
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

namespace {

constexpr std::string_view kMagic("k8s\0", 4);
/// the tag of field 2 with type bytes: runtime.Unknown's `raw`, and a list's items
constexpr uint64_t kRawTag = 2 << 3 | 2;
/// etcd stores no object larger than a few MiB.
constexpr uint64_t kLargestItem = uint64_t{64} << 20;

Error no_list() {
  return {ErrorCode::unreachable, "the server's response is invalid", "it is not a list in protobuf"};
}

/// Removes a varint from the front; empty if it has not arrived completely.
std::optional<uint64_t> varint_of(std::string_view& bytes) {
  constexpr size_t kLongestVarint = 10;
  const auto value = take_varint(bytes);
  if (!value && bytes.size() >= kLongestVarint) throw no_list();
  return value;
}

}  // namespace

Json status_from_protobuf(std::string_view response) {
  constexpr Field::Type kText = Field::Type::text, kObject = Field::Type::object;
  static constexpr Field kCause[] = {{1, "reason", kText}, {2, "message", kText}, {3, "field", kText}};
  static constexpr Field kDetails[] = {{1, "name", kText},
                                       {2, "group", kText},
                                       {3, "kind", kText},
                                       {4, "causes", Field::Type::list, kCause},
                                       {5, "retryAfterSeconds", Field::Type::count}};
  static constexpr Field kStatus[] = {{2, "status", kText},
                                      {3, "message", kText},
                                      {4, "reason", kText},
                                      {5, "details", kObject, kDetails},
                                      {6, "code", Field::Type::count}};
  static constexpr Field kEnvelope[] = {{2, "raw", kObject, kStatus}};
  if (!response.starts_with(kMagic)) throw broken();
  response.remove_prefix(kMagic.size());
  Json envelope = from_protobuf(response, kEnvelope);
  Json status = object_at(envelope, {"raw"});
  status.update({{"kind", "Status"}, {"apiVersion", "v1"}});
  return status;
}

void ProtobufListSplitter::take(std::string_view piece) {
  buffer_.append(piece);
  std::string_view bytes = buffer_;
  if (!begun_ && bytes.size() >= kMagic.size()) {
    if (!bytes.starts_with(kMagic)) throw no_list();
    bytes.remove_prefix(kMagic.size());
    begun_ = true;
  }
  while (begun_ && take_field(bytes)) {
  }
  buffer_.erase(0, buffer_.size() - bytes.size());
}

bool ProtobufListSplitter::take_field(std::string_view& bytes) {
  std::string_view rest = bytes;
  const auto tag = varint_of(rest);
  if (!tag) return false;
  if ((*tag & 7) != 2) throw no_list();  // all fields in both messages have the type bytes
  const auto size = varint_of(rest);
  if (!size) return false;
  if (*tag == kRawTag && !in_list_) {
    in_list_ = true;
    left_in_list_ = *size;
    bytes = rest;
    return true;
  }
  if (*size > kLargestItem) throw no_list();
  if (rest.size() < *size) return false;
  const uint64_t taken = bytes.size() - rest.size() + *size;
  if (left_in_list_ > 0) {
    if (taken > left_in_list_) throw no_list();
    left_in_list_ -= taken;
    if (*tag == kRawTag) on_item_(rest.substr(0, *size));
  }
  bytes.remove_prefix(taken);
  return true;
}

}  // namespace kml::kube
