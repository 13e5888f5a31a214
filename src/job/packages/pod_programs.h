#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kml::packages {

/// A Python program of this folder, compiled into the binary.
struct PodProgram {
  std::string_view name;
  std::string_view text;
};

/// Defined by templates/embed.cmake.
std::span<const PodProgram> pod_programs();

/// The text of NAME.py.
inline std::string pod_program(std::string_view name) {
  for (const PodProgram& program : pod_programs())
    if (program.name == name) return std::string(program.text);
  return {};
}

}  // namespace kml::packages
