#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// A folder on this machine, and the folder of a pod that gets its files.
struct SyncPlan {
  std::filesystem::path folder;
  std::string target;  ///< as the container sees it; relative to its working directory
  /// Finds the rank's current pod. Throws Error with the reason kNotRunning while it has none; other errors
  /// than those of a broken connection end the sync.
  std::function<RunningRank()> find;
  bool deletes = false;             ///< also delete there what is deleted here meanwhile
  bool is_on_this_machine = false;  ///< pods have the files on this machine
  bool ends_equal = false;          ///< return as soon as the files are equal
};

/// Sends the files of a code folder (see code_files()) that the pod does not have, and then each one that
/// changes, until a signal. Files of the pod are never sent here, and never deleted without `deletes`.
/// Several files that changed together appear together, each one complete and with the SHA-256 that it has
/// here. If the connection breaks or the pod is replaced, compares all files with the pod's again. Throws
/// Error if the folder cannot be read or holds the target itself, if the image lacks a tool, and at first if
/// there is no pod. Needs `sh`, `tar`, `xargs` and `sha256sum` in the image.
void sync_to_pod(kube::Client& client, const SyncPlan& plan,
                 const std::function<void(const std::string&)>& note, const job::Interrupt& interrupt);

}  // namespace kml::pod
