#include "job/packages/toml.h"

#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 50  // each costs stack
#include <toml++/toml.h>

#include <sstream>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace {

/// A date or a time, in TOML's own form.
template <typename Value>
std::string text_of(const Value& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

template <typename Value>
Json json_of_value(const Value& value) {
  if constexpr (std::is_same_v<Value, std::string> || std::is_arithmetic_v<Value>)
    return value;
  else
    return text_of(value);
}

Json json_of_toml(const toml::node& node) {
  if (const toml::table* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = json_of_toml(value);
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    Json list = Json::array();
    for (const toml::node& value : *array) list.push_back(json_of_toml(value));
    return list;
  }
  return node.visit([](const auto& value) -> Json {
    if constexpr (toml::is_value<decltype(value)>)
      return json_of_value(value.get());
    else
      return {};
  });
}

/// What is wrong, in toml++'s words.
std::string toml_fault(std::string_view description) {
  constexpr std::string_view kUseless = "Error while parsing ";
  if (description.starts_with(kUseless)) description.remove_prefix(kUseless.size());
  return std::string(description);
}

/// Strings of JSON are also strings of TOML, except for DEL.
std::string toml_string(const std::string& text) {
  std::string quoted = compact_text(Json(text));
  for (size_t at = 0; (at = quoted.find('\x7f', at)) != std::string::npos;) quoted.replace(at, 1, "\\u007f");
  return quoted;
}

std::string toml_value(const Json& value) {
  if (value.is_string()) return toml_string(value);
  if (!value.is_structured()) return value.dump();
  std::vector<std::string> items;
  for (const auto& [key, item] : value.items())
    if (!item.is_null())
      items.push_back((value.is_object() ? toml_string(key) + " = " : "") + toml_value(item));
  return (value.is_object() ? "{" : "[") + join(items, ", ") + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string toml_text(const Json& table) {
  std::string text;
  for (const auto& [key, value] : table.items())
    if (!value.is_null()) text += toml_string(key) + " = " + toml_value(value) + "\n";
  return text;
}

Json read_toml(std::string_view text, const std::string& file, int indent) {
  try {
    return json_of_toml(toml::parse(text, std::string_view(file)));
  } catch (const toml::parse_error& fault) {
    const toml::source_position at = fault.source().begin;
    Error error = usage_error("invalid TOML in " + file);
    error.problems.push_back({file, static_cast<int>(at.line), static_cast<int>(at.column) + indent, "",
                              toml_fault(fault.description())});
    throw error;
  }
}

}  // namespace kml::packages
