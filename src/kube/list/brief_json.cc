#include "kube/list/brief_json.h"

#include <string>
#include <utility>

namespace kml::kube {

namespace {

Json brief_items(Json& items, const Field& field) {
  Json kept = Json::array();
  for (Json& item : items) {
    Json brief = brief_json(std::move(item), field.message);
    if (!field.keeps || field.keeps(brief)) kept.push_back(std::move(brief));
  }
  return kept;
}

Json brief_map(Json& map, const Field& field) {
  Json kept = Json::object();
  for (auto& [key, value] : map.items())
    if (!field.keeps_key || field.keeps_key(key)) kept[key] = std::move(value);
  return kept;
}

Json brief_value(Json& value, const Field& field) {
  switch (field.type) {
    case Field::Type::object:
      if (value.is_object()) return brief_json(std::move(value), field.message);
      break;
    case Field::Type::list:
      if (value.is_array()) return brief_items(value, field);
      break;
    case Field::Type::text_map:
      if (value.is_object()) return brief_map(value, field);
      break;
    default: break;
  }
  return std::move(value);
}

}  // namespace

Json brief_json(Json object, Message message) {
  Json brief = Json::object();
  if (!object.is_object()) return brief;
  for (const Field& field : message) {
    const auto found = object.find(field.name);
    if (found == object.end() || found->is_null()) continue;
    Json value = brief_value(*found, field);
    if (field.type == Field::Type::list && value.empty()) continue;
    brief[std::string(field.name)] = std::move(value);
  }
  return brief;
}

}  // namespace kml::kube
