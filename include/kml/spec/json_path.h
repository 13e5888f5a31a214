#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kml/core/json.h"

namespace kml::spec {

/// A key of an object, or an index of a list.
using Step = std::variant<std::string, size_t>;

/// `spec.containers[0].env`, `[1].metadata.annotations["example.com/a"]`.
using JsonPath = std::vector<Step>;

/// Empty if the text is not a path.
std::optional<JsonPath> parse_path(std::string_view text);

/// The value there, or nullptr.
const Json* find(const Json& root, const JsonPath& path);
Json* find(Json& root, const JsonPath& path);

/// Puts a value there, and makes the objects on the way; a list may grow by one. Says what is in the way, or
/// nothing.
std::string set(Json& root, const JsonPath& path, Json value);

/// Takes the value out of its object; a path that leads nowhere changes nothing.
void remove(Json& root, JsonPath path);

}  // namespace kml::spec
