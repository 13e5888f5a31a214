#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/tree_names.h"

namespace kml {

/// The temporary name of an incomplete file, beside its final one: ".model.pt.kml-part".
std::string part_name(std::string_view name);

/// Writes below a folder, and nowhere else, whatever paths it gets: links are never followed, so a file
/// cannot be written through one. A file appears at its path only when it is complete. All functions throw
/// Error if a path is not is_path_beneath(), or leads through a link or a file.
class Beneath {
 public:
  /// Throws Error if it is not an existing folder.
  explicit Beneath(std::filesystem::path folder);

  /// Creates the folder, by default accessible to its owner only. Its parent must exist; it may exist itself,
  /// and then keeps its mode.
  void make_folder(const std::string& path, unsigned mode = 0700);
  /// Opens the file's part for reading and writing, with the bytes that an earlier attempt has left.
  Fd open_part(const std::string& path);
  void remove_part(const std::string& path);
  /// Creates a whole file at once, which costs fewer system calls than a part. Returns false if something
  /// has that name, or if the file system cannot do it.
  bool create(const std::string& path, std::string_view content, unsigned mode, long long modified);
  /// Creates an empty file, for writing. Throws Error if something has that name.
  Fd new_file(const std::string& path, unsigned mode);
  /// Gives the part its mode (as in chmod) and time (in seconds since 1970), and moves it to its place.
  void complete(const std::string& path, unsigned mode, long long modified);
  /// Replaces a file or link there.
  void make_link(const std::string& path, const std::string& target);
  void set_folder_mode(const std::string& path, unsigned mode);

 private:
  /// The folder that holds the path's last name.
  int parent_of(std::string_view path);
  Error failed(const char* what, std::string_view path, int errno_value) const;

  std::filesystem::path folder_;
  Fd root_, parent_;
  std::string parent_path_;  ///< of `parent_`
};

}  // namespace kml
