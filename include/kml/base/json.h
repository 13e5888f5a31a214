#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace kml {

/// Objects are sorted by key, so equal values are printed as the same text.
using Json = nlohmann::json;

/// Parses a complete document. Rejects more than 512 nested levels, because nlohmann's code for copying and
/// printing is recursive. In the Error (ErrorCode::failure), `source` is the name of the text.
Json parse_json(std::string_view text, std::string_view source);

/// The value as text, on one line or indented. Replaces invalid UTF-8 by U+FFFD. Escapes DEL and C1 controls,
/// because JSON allows them but terminals act on them.
std::string json_text(const Json& value, int indent = -1);

/// The value as one line for other programs. Replaces invalid UTF-8 by U+FFFD, but keeps DEL and C1 controls.
std::string compact_text(const Json& value);

/// Returns the value at a path of keys, or nullptr if a key is missing or its parent is not an object.
const Json* find(const Json& object, std::initializer_list<std::string_view> path);

/// The string, whole number or boolean at a path. If it is missing or has a different type, the fallback.
std::string string_at(const Json& object, std::initializer_list<std::string_view> path,
                      std::string fallback = {});
long long int_at(const Json& object, std::initializer_list<std::string_view> path, long long fallback = 0);
bool bool_at(const Json& object, std::initializer_list<std::string_view> path, bool fallback = false);

/// The array or object at a path. If it is missing or has a different type, an empty one.
const Json& array_at(const Json& object, std::initializer_list<std::string_view> path);
const Json& object_at(const Json& object, std::initializer_list<std::string_view> path);

/// The value in the optional; JSON null if it is empty.
template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Copies the members of `members` to `object`, except for nulls, and for empty strings, lists and objects.
void set_said(Json& object, Json members);

}  // namespace kml
