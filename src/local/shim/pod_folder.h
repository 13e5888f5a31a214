#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "kml/base/files.h"

namespace kml::local {

/// The folder of a pod's files: `folder/pods/UID/`. The server writes `stop`, the pod's shim writes `claim`,
/// `status` and the logs; each file has one writer, so neither needs the other to be alive.
struct PodFolder {
  std::filesystem::path path;

  std::filesystem::path claim() const { return path / "claim"; }        ///< see take_claim()
  std::filesystem::path status() const { return path / "status"; }      ///< see StatusFile
  std::filesystem::path stop() const { return path / "stop"; }          ///< StopOrder
  std::filesystem::path commands() const { return path / "commands"; }  ///< see CommandRequest
  /// For a deleted pod: the uid of the job that its logs are kept for, and the pod's "NAMESPACE/NAME".
  std::filesystem::path owner() const { return path / "owner"; }
  std::filesystem::path cgroups() const { return path / "cgroups"; }  ///< see PodCgroup; one path per line
  std::filesystem::path volumes() const { return path / "volumes"; }
  std::filesystem::path logs(const std::string& container) const { return path / "logs" / container; }
  /// The file that the container's last run saw at its terminationMessagePath.
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

/// Opens a file of a pod's folder, with the `flags` of open(). The pod's program may have replaced it: a FIFO
/// must not block the server, and a link or a device must not be taken for the file. Empty if it is not a
/// regular file.
Fd open_pod_file(const std::filesystem::path& path, int flags, mode_t mode = 0);
/// The file's text; empty if it cannot be read.
std::optional<std::string> read_pod_file(const std::filesystem::path& path);

/// Replaces the file atomically, but does not sync to disk, because the pods do not survive a crash of the
/// machine either. On a full disk, a link whose target is the text takes the file's place; read_pod_file()
/// reads both. False on failure.
bool replace_file(const std::filesystem::path& path, const std::string& text);

/// The server's order to end a pod: SIGTERM, and SIGKILL after the grace.
struct StopOrder {
  double grace_seconds = 0;
  std::string reason;  ///< for the pod's status; empty if the pod is deleted anyway
};
bool write_stop_order(const PodFolder& folder, const StopOrder& order);
std::optional<StopOrder> read_stop_order(const PodFolder& folder);

/// Claims the pod for this process: the file is locked while the process lives, and once written it is never
/// empty again. A process that finds it locked or written must not run the pod, so one shim runs it, once,
/// whichever process dies. Empty if the pod is already claimed or its folder does not exist.
std::optional<Fd> take_claim(const PodFolder& folder);

/// A claim as seen by processes other than its owner.
struct Claim {
  enum { none, held, released } state;
  pid_t owner = 0;
};
Claim read_claim(const PodFolder& folder);

}  // namespace kml::local
