#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kml/base/json.h"

namespace kml::spec {

/// One step of a path: an object's key or a list's index.
using Step = std::variant<std::string, size_t>;

/// `spec.containers[0].env`, `[1].metadata.annotations["example.com/a"]`.
using JsonPath = std::vector<Step>;

/// Parses a path. Empty if the text is not a path.
std::optional<JsonPath> parse_path(std::string_view text);

/// The value at the path, or nullptr if nothing is there.
const Json* find(const Json& root, const JsonPath& path);
Json* find(Json& root, const JsonPath& path);

/// Sets the value at the path. Creates missing objects on the way; a list may grow by one item. Returns an
/// empty text, or why the value cannot be set.
std::string set(Json& root, const JsonPath& path, Json value);

/// Removes the value from its object. Does nothing if the path does not exist, or leads to an item of a list.
void remove(Json& root, JsonPath path);

}  // namespace kml::spec
