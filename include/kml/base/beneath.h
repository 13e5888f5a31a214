#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/tree_names.h"

namespace kml {

/// The temporary name of an incomplete file, next to the final one: ".model.pt.kml-part".
std::string part_name(std::string_view name);

/// Writes below a folder and nowhere else, whatever paths it is given. It never follows links, so no file can
/// be written through a link. A file appears at its path only when it is complete, unless new_file() creates
/// it. All functions throw Error if is_path_beneath() is false for a path, or if the path leads through a
/// link or a file.
class Beneath {
 public:
  /// Throws Error unless this is an existing folder.
  explicit Beneath(std::filesystem::path folder);

  /// Creates the folder; by default, only its owner may access it. Its parent must exist. If the folder
  /// already exists, it keeps its mode.
  void make_folder(const std::string& path, unsigned mode = 0700);
  /// Opens the incomplete file for reading and writing. It contains the bytes that an earlier attempt has
  /// left.
  Fd open_part(const std::string& path);
  void remove_part(const std::string& path);
  /// Creates a complete file at once, which needs fewer system calls than an incomplete one. Returns false if
  /// that fails, such as if the name is taken, or the file system does not support this.
  bool create(const std::string& path, std::string_view content, unsigned mode, long long modified);
  /// Creates an empty file for writing. Throws Error if the name is taken.
  Fd new_file(const std::string& path, unsigned mode);
  /// Gives the incomplete file its mode (as in chmod) and time (in seconds since 1970), and moves it to its
  /// place.
  void complete(const std::string& path, unsigned mode, long long modified);
  /// Creates a link. Replaces a file or link at that path.
  void make_link(const std::string& path, const std::string& target);
  void set_folder_mode(const std::string& path, unsigned mode);

 private:
  /// Opens the folder that contains the entry at the path.
  int parent_of(std::string_view path);
  Error failed(const char* what, std::string_view path, int errno_value) const;

  std::filesystem::path folder_;
  Fd root_, parent_;
  std::string parent_path_;  ///< of `parent_`
};

}  // namespace kml
