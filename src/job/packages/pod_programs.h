#pragma once

#include <span>
#include <string_view>

namespace kml::packages {

/// A Python program of this folder, compiled into the binary.
struct PodProgram {
  std::string_view name;
  std::string_view text;
};

/// Defined by templates/embed.cmake.
std::span<const PodProgram> pod_programs();

}  // namespace kml::packages
