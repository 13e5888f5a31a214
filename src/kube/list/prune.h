#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kml::kube {

/// Empties the lists and objects that are values of these keys, at any depth, and returns the JSON text.
/// Other values of these keys stay. This is much faster than parsing the text first. If the text is not JSON,
/// the result is not JSON, either.
std::string pruned(std::string_view json, std::span<const std::string_view> keys);

}  // namespace kml::kube
