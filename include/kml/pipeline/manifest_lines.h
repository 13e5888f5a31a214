#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kml::pipeline {

/// A line of a manifest (see Manifest).
struct ManifestLine {
  enum class Kind { file, folder, link };
  Kind kind = Kind::file;
  std::string path;  ///< "." is the tree itself
  bool is_executable = false;
  std::uintmax_t bytes = 0;
  std::string digest;  ///< of a file's content
  std::string target;  ///< of a link
};

/// Throws Error if the text is no manifest, or a path in it leads out of the tree.
std::vector<ManifestLine> manifest_lines(const std::string& text);

}  // namespace kml::pipeline
