#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace kml {

/// Objects are sorted by key, so equal values print the same text.
using Json = nlohmann::json;

/// Parses a whole document. Rejects more than 512 nested levels, because nlohmann's copies and dumps recurse.
/// `source` names the text in the error (ErrorCode::failure).
Json parse_json(std::string_view text, std::string_view source);

/// The value as text, on one line or indented. Invalid UTF-8 becomes U+FFFD. DEL and the C1 controls are
/// escaped: JSON allows them, but terminals obey them.
std::string json_text(const Json& value, int indent = -1);

/// The value on one line for other programs. Invalid UTF-8 becomes U+FFFD; DEL and the C1 controls stay.
std::string compact_text(const Json& value);

/// Returns the value at a path of keys, or nullptr if a key is missing or its parent is not an object.
const Json* find(const Json& object, std::initializer_list<std::string_view> path);

/// The string, number or boolean at a path; the fallback if it is missing or has another type.
std::string string_at(const Json& object, std::initializer_list<std::string_view> path,
                      std::string fallback = {});
long long int_at(const Json& object, std::initializer_list<std::string_view> path, long long fallback = 0);
bool bool_at(const Json& object, std::initializer_list<std::string_view> path, bool fallback = false);

/// The array or object at a path; an empty one if it is missing or has another type.
const Json& array_at(const Json& object, std::initializer_list<std::string_view> path);
const Json& object_at(const Json& object, std::initializer_list<std::string_view> path);

/// The optional's value, or a JSON null if it is empty.
template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Copies the members of `members` to `object`, except nulls and empty strings, lists and objects.
void set_said(Json& object, Json members);

}  // namespace kml
