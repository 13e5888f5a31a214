#pragma once

#include <cstdint>
#include <span>
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

/// Throws Error, with this message, if the lines cannot be those of one tree: for a path that leads out of it
/// or occurs twice, and for one below a file or a link.
void check_paths(std::span<const ManifestLine> lines, const std::string& message);

}  // namespace kml::pipeline
