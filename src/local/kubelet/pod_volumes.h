#pragma once

#include <filesystem>
#include <vector>

#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"
#include "local/store/store.h"

namespace kml::local {

/// Prepares the volumes of a pod. The folder of a claim is `state/volumes/NAMESPACE/CLAIM`. An emptyDir is in
/// the pod's folder or in memory. Secrets and config maps are written as files into the pod's folder.
class PodVolumes {
 public:
  PodVolumes(const Json& pod, const Store& store, const std::filesystem::path& state_folder,
             const PodFolder& folder);

  /// The mounts of one of the pod's containers. Throws config_error() if one of their volumes cannot be
  /// prepared, for example because an object to which it refers is missing.
  std::vector<Mount> mounts_of(const Json& container) const;

 private:
  struct Source {
    std::string what, path = {};
    bool memory = false;
    std::string memory_size = {};
    bool read_only = false;
  };
  Source prepare(const Json& volume) const;
  Source prepare_files(const Json& volume) const;
  Source prepare_projected(const Json& volume) const;
  void write_entries(const Json& reference, const std::string& name, bool is_secret, int mode,
                     const std::filesystem::path& folder) const;
  Source prepare_empty(const Json& volume) const;

  const Json& pod_;
  const Store& store_;
  const std::filesystem::path& state_folder_;
  const PodFolder& folder_;
};

}  // namespace kml::local
