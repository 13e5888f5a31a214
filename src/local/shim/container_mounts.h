#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// Call this in a new user namespace: the caller keeps its own user and group ids. Returns an error message
/// if it fails.
std::optional<std::string> map_own_ids(unsigned user, unsigned group);

/// Call this in the first process of new mount and pid namespaces: later mounts are invisible outside, and
/// /proc shows the new pid namespace. Returns an error message if it fails.
std::optional<std::string> enter_namespaces();

struct MountRequest {
  std::vector<Mount> mounts;
  std::filesystem::path working_folder, home;
  std::filesystem::path stage;  ///< the path of a folder that may be created, for preparing folders in memory
  bool read_only_root = false;  ///< everything except the mounts is read-only
};

/// Call this in a mount namespace: mounts each source at its path. If a path does not exist, covers its
/// nearest parent with a folder in memory and creates the path there; only the parent's previous entries stay
/// writable. A path inside a volume is instead created in the volume, where it stays, as with container
/// runtimes. Nothing else on the disk changes. Returns an error message if it fails.
std::optional<std::string> mount_volumes(const MountRequest& request);

/// Like mount_volumes(), but without a mount namespace: only succeeds if no mount needs one.
std::optional<std::string> check_mounts_without_namespace(std::span<const Mount> mounts);

}  // namespace kml::local
