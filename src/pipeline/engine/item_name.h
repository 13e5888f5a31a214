#pragma once

#include <cstddef>
#include <string>

namespace kml::pipeline {

/// The name of an item of an input that is a list: "models-0".
inline std::string item_name(const std::string& input, size_t i) {
  return input + "-" + std::to_string(i);
}

}  // namespace kml::pipeline
