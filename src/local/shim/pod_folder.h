#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "kml/base/files.h"

namespace kml::local {

/// The folder with a pod's files: `folder/pods/UID/`. The server writes `stop`; the pod's shim writes
/// `claim`, `status` and the logs. Each file has a single writer, so the server and the shim do not need each
/// other to be alive.
struct PodFolder {
  std::filesystem::path path;

  std::filesystem::path claim() const { return path / "claim"; }        ///< see take_claim()
  std::filesystem::path status() const { return path / "status"; }      ///< see StatusFile
  std::filesystem::path stop() const { return path / "stop"; }          ///< StopOrder
  std::filesystem::path commands() const { return path / "commands"; }  ///< see CommandRequest
  /// For a deleted pod whose logs are kept: the uid of its owner, and the pod's "NAMESPACE/NAME".
  std::filesystem::path owner() const { return path / "owner"; }
  std::filesystem::path cgroups() const {
    return path / "cgroups";
  }  ///< a file with one path per line, see PodCgroup
  std::filesystem::path volumes() const { return path / "volumes"; }
  std::filesystem::path logs(const std::string& container) const { return path / "logs" / container; }
  /// The file that was mounted at the terminationMessagePath in the container's last run.
  std::filesystem::path message(const std::string& container) const {
    return path / ("message-" + container);
  }
};

inline std::filesystem::path pods_folder(const std::filesystem::path& state) {
  return state / "pods";
}
inline PodFolder pod_folder(const std::filesystem::path& state, const std::string& uid) {
  return {pods_folder(state) / uid};
}

/// Opens a file in a pod's folder with the `flags` of open(). The pod's program may have replaced the file: a
/// FIFO must not block the server, and a link or a device must not be used in place of the file. Empty if it
/// is not a regular file.
Fd open_pod_file(const std::filesystem::path& path, int flags, mode_t mode = 0);
/// The text of the file; empty if it cannot be read.
std::optional<std::string> read_pod_file(const std::filesystem::path& path);

/// Replaces the file atomically. Does not sync it to disk, because the pods do not survive a crash of the
/// machine, either. If the disk is full, replaces the file by a link whose target is the text;
/// read_pod_file() can read both. Returns false on failure.
bool replace_file(const std::filesystem::path& path, const std::string& text);

/// The server's order to end a pod: first by SIGTERM and, after the grace period, by SIGKILL.
struct StopOrder {
  double grace_seconds = 0;
  std::string reason;  ///< the reason to show in the pod's status; empty if the pod is deleted anyway
};
bool write_stop_order(const PodFolder& folder, const StopOrder& order);
std::optional<StopOrder> read_stop_order(const PodFolder& folder);

/// Claims the pod for this process: the file is locked while the process is alive and, once written, is never
/// empty again. A process that finds the file locked or written must not run the pod. So the pod is run only
/// once, by one shim, whichever process dies. Empty if the pod is already claimed, or its folder does not
/// exist.
std::optional<Fd> take_claim(const PodFolder& folder);

/// A claim, as processes other than its owner see it.
struct Claim {
  enum { none, held, released } state;
  pid_t owner = 0;
};
Claim read_claim(const PodFolder& folder);

}  // namespace kml::local
