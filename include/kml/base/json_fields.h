#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml {

/// A member of a struct with its name in JSON. A struct's table is a std::tuple of these. Reading and writing
/// use the same table, so both always know the same members.
template <typename Struct, typename Value>
struct JsonField {
  const char* name;
  Value Struct::*member;
};
template <typename Struct, typename Value>
// needed because clang before 17 does not deduce the template's arguments
JsonField(const char*, Value Struct::*)->JsonField<Struct, Value>;

/// Reads a string, boolean, number, list of strings, or RFC 3339 time. If the value has a different type,
/// leaves `to` unchanged. Appends the strings of a list.
template <typename Value>
void read_value(const Json& json, Value& to) {
  if constexpr (std::is_same_v<Value, bool>) {
    if (json.is_boolean()) to = json.get<bool>();
  } else if constexpr (std::is_integral_v<Value>) {
    if (json.is_number_integer()) to = json.get<Value>();
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (json.is_number()) to = json.get<Value>();
  } else if constexpr (std::is_same_v<Value, std::optional<int>>) {
    if (json.is_number_integer()) to = json.get<int>();
  } else if constexpr (std::is_same_v<Value, Time>) {
    if (json.is_string()) to = parse_rfc3339(json.get_ref<const std::string&>()).value_or(to);
  } else if constexpr (std::is_same_v<Value, std::optional<Time>>) {
    if (json.is_string()) to = parse_rfc3339(json.get_ref<const std::string&>());
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    for (const Json& word : json.is_array() ? json : Json::array())
      if (word.is_string()) to.push_back(word);
  } else {
    if (json.is_string()) to = json.get<std::string>();
  }
}
template <typename Value>
Json value_to_json(const Value& value) {
  if constexpr (std::is_same_v<Value, Time>)
    return rfc3339(value);
  else
    return value;
}
template <typename Value>
Json value_to_json(const std::optional<Value>& value) {
  return value ? value_to_json(*value) : Json();
}

template <typename Struct, typename... Fields>
void read_fields(const Json& json, Struct& to, const std::tuple<Fields...>& table) {
  const auto read = [&](const auto& field) {
    if (const auto found = json.find(field.name); found != json.end()) read_value(*found, to.*field.member);
  };
  std::apply([&](const auto&... field) { (read(field), ...); }, table);
}

/// Converts the struct to JSON. Leaves out optional members without a value.
template <typename Struct, typename... Fields>
Json fields_to_json(const Struct& of, const std::tuple<Fields...>& table) {
  Json json = Json::object();
  const auto write = [&](const auto& field) {
    if (Json value = value_to_json(of.*field.member); !value.is_null()) json[field.name] = std::move(value);
  };
  std::apply([&](const auto&... field) { (write(field), ...); }, table);
  return json;
}

}  // namespace kml
