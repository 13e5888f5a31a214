#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// Inside a new user namespace: the caller keeps its own user and group ids. Returns what failed.
std::optional<std::string> map_own_ids(unsigned user, unsigned group);

/// Inside a new mount and pid namespace, as its first process: nothing mounted from here on is seen outside,
/// and /proc shows the new pid namespace. Returns what failed.
std::optional<std::string> enter_namespaces();

struct MountRequest {
  std::vector<Mount> mounts;
  std::filesystem::path working_folder, home;
  std::filesystem::path stage;  ///< where a folder to build trees in may be made
  bool read_only_root = false;  ///< all but the mounts
};

/// Inside a mount namespace: puts each source at its path. A missing path is created in memory over its
/// nearest parent, in which only the previous entries stay writable; the disk is never changed. Returns the
/// reason as text if it fails.
std::optional<std::string> mount_volumes(const MountRequest& request);

/// The same without a mount namespace: succeeds if no mount needs one.
std::optional<std::string> check_mounts_without_namespace(std::span<const Mount> mounts);

}  // namespace kml::local
