#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "local/loop/event_loop.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// A running shim that this server or an earlier one has started. It is held by a pidfd, so that a signal
/// never reaches a different process that reuses its number.
class ShimProcess {
 public:
  /// Starts `binary` as the pod's shim. Passes the plan in memory, because it contains the values of secrets.
  /// Throws Error if the process cannot be created.
  static ShimProcess spawn(const std::filesystem::path& binary, const PodFolder& folder, const PodPlan& plan);
  /// The process that the pod's claim names. Empty if that process is dying or is not the pod's shim: the
  /// pod's program may have written the claim, and signals for the shim must not reach any other process.
  static std::optional<ShimProcess> find(pid_t owner, const PodFolder& folder);
  /// Finds the pod's shim without the claim, by searching all processes.
  static std::optional<ShimProcess> search(const PodFolder& folder);

  /// Calls back once, after the shim has ended. `well` is only true if the shim is known to have exited
  /// successfully on its own.
  void on_end(EventLoop& loop, std::function<void(bool well)> callback);
  void signal(int number) const;
  /// Whether the shim was stopped by SIGSTOP. If no namespace separates the pod's program from its shim, the
  /// program can send that signal.
  bool is_stopped() const;
  pid_t pid() const { return pid_; }

 private:
  ShimProcess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_;
  Fd pidfd_;
};

/// The pod's shim, if it is alive. The pod's program can change or remove the claim, so if the claim does not
/// name the shim, this searches all processes.
std::optional<ShimProcess> living_shim(const PodFolder& folder, const Claim& claim);

/// After this time, the server checks again whether killed processes have ended.
inline constexpr std::chrono::milliseconds kDying{20};

/// After a shim was killed, kills what it has left of the pod: its cgroups with their processes, and all
/// processes that have the pod's mark (kPodMark). Without namespaces, such processes survive if both the shim
/// and the keeper are killed. Returns false if nothing was left; otherwise call it again, because processes
/// may need a moment to end.
bool kill_leftovers(const PodFolder& folder, const std::string& pod_uid,
                    const std::vector<CgroupRoot>& roots);

}  // namespace kml::local
