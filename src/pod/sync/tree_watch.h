#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/base/files.h"

namespace kml::pod {

/// Reports changes in the folders of a tree, with inotify(7) on Linux. On macOS, kqueue(2) only reports
/// folders in which files have appeared, vanished or were replaced. Changes that other machines make on a
/// shared volume are not noticed.
class TreeWatch {
 public:
  /// Throws Error if the user may not watch any more trees.
  explicit TreeWatch(std::filesystem::path root);

  /// A descriptor that is readable when something has changed.
  int fd() const { return queue_.get(); }
  /// Watches these folders (relative to the root; "" is the root itself). On Linux, also keeps watching the
  /// earlier ones. Throws Error if the user may not watch so many folders.
  void cover(const std::vector<std::string>& folders);

  struct Changes {
    std::set<std::string> names = {};  ///< relative to the root
    bool has_new_folders = false;      ///< folders may have been created or moved, so cover() must be called
  };
  /// The changes since the last call. On Linux, forgets all watches if a folder was moved or the queue has
  /// overflowed.
  Changes take();

 private:
  void forget();

  std::filesystem::path root_;
  Fd queue_;
  std::unordered_map<int, std::string> folders_;
  std::vector<Fd> opened_ = {};  ///< the open folders, for kqueue(2)
};

}  // namespace kml::pod
