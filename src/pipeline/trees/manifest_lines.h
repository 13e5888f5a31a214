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
  std::string digest;  ///< for a file: the digest of its content
  std::string target;  ///< for a link: its target
};

/// Throws Error if the text is not a manifest, or one of its paths leads out of the tree.
std::vector<ManifestLine> manifest_lines(const std::string& text);

/// Throws Error with this message if the lines cannot describe a tree, because a path leads out of it, occurs
/// twice, or is below a file or a link.
void check_paths(std::span<const ManifestLine> lines, const std::string& message);

}  // namespace kml::pipeline
