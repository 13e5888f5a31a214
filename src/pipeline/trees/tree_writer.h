#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "kml/base/beneath.h"
#include "kml/base/files.h"
#include "pipeline/trees/manifest_lines.h"

namespace kml::pipeline {

/// Whether the links in a tree may lead out of it.
enum class Links { inside, anywhere };

/// Writes a tree that another machine describes, and nothing outside it: checks all lines before it writes
/// anything, and follows no link.
class TreeWriter {
 public:
  /// Creates the folders. `root` must be a folder or not exist. `lines` must outlive this object. Throws
  /// Error if check_paths() finds a fault, or if a link leads where it may not.
  TreeWriter(const std::filesystem::path& root, std::span<const ManifestLine> lines, Links links);

  /// Creates an empty file for writing. Throws Error if something exists at that path.
  Fd new_file(const ManifestLine& line);
  void make_links();

 private:
  std::string place_of(const std::string& path) const;
  void make_folder(const std::string& path);

  std::string name_;  ///< the name of the tree's root
  std::span<const ManifestLine> lines_;
  std::optional<Beneath> parent_;  ///< the folder that contains the tree's root
  std::set<std::string> folders_;
};

}  // namespace kml::pipeline
