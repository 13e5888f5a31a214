#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kml::kube {

/// The JSON text with empty lists and objects in place of those that are the values of these keys, at any
/// depth. This is much faster than to parse them and to remove them then. Other values of these keys stay. A
/// text that is not JSON may be returned in any form, but still is not JSON.
std::string pruned(std::string_view json, std::span<const std::string_view> keys);

}  // namespace kml::kube
