#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pod/copy/pod_shell.h"
#include "pod/copy/pod_tree.h"

namespace kml::pod {

/// The folder of a pod that gets the files of a folder here. All names are relative to both folders.
class PodMirror {
 public:
  /// `target` is the folder as the container sees it. All must outlive the object.
  PodMirror(PodShell& shell, const std::filesystem::path& folder, std::string target);

  /// Throws Error if the image lacks a tool that this needs.
  void check_tools();
  /// The working directory of the container.
  std::string working_folder();
  /// The pod's version of a file.
  struct There {
    std::string sum;  ///< SHA-256
    bool is_executable = false;
  };
  /// Those of the files that the pod has.
  std::map<std::string, There> compare(const std::vector<std::string>& names);
  /// Sends files and links, which appear together. Returns false if one of them changed meanwhile: then none
  /// has appeared. Throws Error if a file cannot be read here, or written there.
  bool send(const std::vector<CopyEntry>& entries);
  /// Deletes files and links, and those of their folders that are then empty and do not exist here.
  void remove(const std::vector<std::string>& names);

  /// "bert/0:code".
  std::string shown() const { return shell_.name() + ":" + target_; }

 private:
  PodShell& shell_;
  const std::filesystem::path& folder_;
  const std::string target_, stage_;
};

}  // namespace kml::pod
