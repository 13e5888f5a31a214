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

/// A running shim, of this server or an earlier one. It is held by a pidfd, so that a signal never reaches
/// another process that reuses its number.
class ShimProcess {
 public:
  /// Starts `binary` as the pod's shim. The shim reads the plan from memory, because the plan contains
  /// secrets' values. Throws Error if the process cannot be created.
  static ShimProcess spawn(const std::filesystem::path& binary, const PodFolder& folder, const PodPlan& plan);
  /// The process that the pod's claim names. Empty if that process is dying or is not the pod's shim: the
  /// pod's program may have written the claim, and no other process must get the shim's signals.
  static std::optional<ShimProcess> find(pid_t owner, const PodFolder& folder);
  /// Finds the pod's shim without the claim, by looking at all processes.
  static std::optional<ShimProcess> search(const PodFolder& folder);

  /// Calls back once after the shim has ended. `well` is true only if the shim is known to have exited
  /// successfully by itself.
  void on_end(EventLoop& loop, std::function<void(bool well)> callback);
  void signal(int number) const;
  /// Whether it was stopped by SIGSTOP. The pod's program can send that signal if no namespace separates it
  /// from its shim.
  bool is_stopped() const;
  pid_t pid() const { return pid_; }

 private:
  ShimProcess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_;
  Fd pidfd_;
};

/// The pod's shim, if one is alive. The pod's program can remove the claim, so if the claim names no process,
/// all processes are searched.
std::optional<ShimProcess> living_shim(const PodFolder& folder, const Claim& claim);

/// The time given to killed processes to end.
inline constexpr std::chrono::milliseconds kDying{20};

/// Ends what remains of a pod after its shim was killed: its cgroups with their processes, and all processes
/// that carry the pod's mark (kPodMark). Without namespaces, such processes survive if both the shim and the
/// keeper are killed. Returns false if nothing remained; otherwise call again, since processes may take a
/// moment to end.
bool kill_leftovers(const PodFolder& folder, const std::string& pod_uid,
                    const std::vector<CgroupRoot>& roots);

}  // namespace kml::local
