#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pod/copy/pod_shell.h"
#include "pod/copy/pod_tree.h"

namespace kml::pod {

/// A folder in a pod that receives the files of a folder on this machine. All names are relative to both
/// folders.
class PodMirror {
 public:
  /// `target` is the folder's path in the container. `shell` and `folder` must outlive this object.
  PodMirror(PodShell& shell, const std::filesystem::path& folder, std::string target);

  /// Throws Error if the image lacks a tool that is needed.
  void check_tools();
  /// The container's working directory.
  std::string working_folder();
  /// The pod's version of a file.
  struct There {
    std::string sum;  ///< SHA-256
    bool is_executable = false;
  };
  /// The files in `names` that the pod has.
  std::map<std::string, There> compare(const std::vector<std::string>& names);
  /// Sends files and links, which appear in the pod all at once. If one of them changes in the meantime,
  /// returns false, and none of them appears. Throws Error if a file cannot be read here or written in the
  /// pod.
  bool send(const std::vector<CopyEntry>& entries);
  /// Deletes files and links, and their folders if these are then empty and do not exist here.
  void remove(const std::vector<std::string>& names);

  /// "bert/0:code".
  std::string shown() const { return shell_.name() + ":" + target_; }

 private:
  PodShell& shell_;
  const std::filesystem::path& folder_;
  const std::string target_, stage_;
};

}  // namespace kml::pod
