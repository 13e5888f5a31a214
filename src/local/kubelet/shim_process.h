#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "local/loop/event_loop.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// A shim that runs, whoever started it: held by a pidfd, so that a signal never reaches another process
/// that got its number.
class ShimProcess {
 public:
  /// Starts the binary as the pod's shim. It reads the plan from memory: that holds secrets' values. Throws
  /// Error if no process can be made.
  static ShimProcess spawn(const std::filesystem::path& binary, const PodFolder& folder, const PodPlan& plan);
  /// The process that the pod's claim names; empty if that is just dying, and where it is not this pod's
  /// shim: the pod's program may have written the claim, and no process of others must get its signals.
  static std::optional<ShimProcess> find(pid_t owner, const PodFolder& folder);
  /// The pod's shim, whatever the claim says. Looks at all processes.
  static std::optional<ShimProcess> search(const PodFolder& folder);

  /// Calls back once, when it has ended; with true if it is known to have ended by itself, and well.
  void on_end(EventLoop& loop, std::function<void(bool well)> callback);
  void signal(int number) const;
  /// By SIGSTOP, which the pod's program may send where no namespace keeps it from its shim.
  bool is_stopped() const;
  pid_t pid() const { return pid_; }

 private:
  ShimProcess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_;
  Fd pidfd_;
};

/// Ends what a pod's shim left when it was killed: its cgroups with what is in them, and the processes that
/// carry the pod's mark (kPodMark): where no namespaces are permitted they outlive their shim and their
/// keeper when both are killed. False if none was left; else look again, since they may take a moment to
/// end.
bool kill_leftovers(const PodFolder& folder, const std::string& pod_uid,
                    const std::vector<CgroupRoot>& roots);

}  // namespace kml::local
