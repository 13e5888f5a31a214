#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// Call inside a new user namespace: the caller keeps its own user and group ids. Returns what failed.
std::optional<std::string> map_own_ids(unsigned user, unsigned group);

/// Call in the first process of a new mount and pid namespace: later mounts are not seen outside, and /proc
/// shows the new pid namespace. Returns what failed.
std::optional<std::string> enter_namespaces();

struct MountRequest {
  std::vector<Mount> mounts;
  std::filesystem::path working_folder, home;
  std::filesystem::path stage;  ///< the path of a folder that may be made to build trees in
  bool read_only_root = false;  ///< everything except the mounts
};

/// Call inside a mount namespace: mounts each source at its path. A missing path is created in memory over
/// its nearest parent, in which only the previous entries stay writable; the disk is never changed. Returns
/// the reason if it fails.
std::optional<std::string> mount_volumes(const MountRequest& request);

/// The same without a mount namespace: succeeds only if no mount needs one.
std::optional<std::string> check_mounts_without_namespace(std::span<const Mount> mounts);

}  // namespace kml::local
