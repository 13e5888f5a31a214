#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kml::pipeline {

/// A line of a manifest (see Manifest).
struct ManifestLine {
  enum class Kind { file, folder, link };
  Kind kind = Kind::file;
  std::string path;  ///< "." for the whole tree
  bool is_executable = false;
  std::uintmax_t bytes = 0;
  std::string digest;  ///< only of a file: the digest of its content
  std::string target;  ///< only of a link
};

/// Throws Error if the text is not a manifest, or if one of its paths leads out of the tree.
std::vector<ManifestLine> manifest_lines(const std::string& text);

}  // namespace kml::pipeline
