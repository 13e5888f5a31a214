#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kml {

/// A fix for an unknown word: the nearest candidate, if any is near, followed by `otherwise`.
std::string suggestion(std::string_view word, std::span<const std::string> candidates,
                       const std::string& otherwise);

}  // namespace kml
