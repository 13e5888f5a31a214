#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kml::kube {

/// Replaces each list or object that is the value of one of these keys by an empty one, at any depth, and
/// returns the JSON text. This is much faster than parsing the text first. Other values of these keys stay.
/// If the text is not JSON, the result is not JSON, either.
std::string pruned(std::string_view json, std::span<const std::string_view> keys);

}  // namespace kml::kube
