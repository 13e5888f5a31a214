#pragma once

#include <optional>
#include <string>

#include "local/loop/event_loop.h"
#include "local/shim/container_context.h"
#include "local/shim/container_probes.h"
#include "local/shim/container_program.h"
#include "local/shim/pod_plan.h"
#include "local/shim/pre_stop_hook.h"
#include "local/shim/program_run.h"
#include "local/shim/restart_policy.h"

namespace kml::local {

/// One container of a pod, in the pod's shim. Runs its program as often as the restart policy says, ends it
/// as the kubelet would, and maintains its v1.ContainerStatus.
class Container {
 public:
  /// `restarts` is the restart policy: Always, OnFailure or Never.
  Container(ContainerContext& context, const ContainerPlan& plan, const std::string& restarts);

  void start();
  /// Sends SIGTERM to the program only, and does not restart the container.
  void terminate();
  /// Runs the preStop hook while the program continues, then does the same as terminate().
  void stop();
  /// Whether the preStop hook is still running.
  bool is_in_hook() const { return hook_.runs(); }
  /// Kills all processes, and does not restart the container.
  void kill();
  /// Kills all processes because the container itself is at fault. The container may be restarted.
  void kill_because(const std::string& why);
  /// Call this when a child with that pid has been reaped. Returns false if the child is not the container's
  /// keeper.
  bool reaped(pid_t pid);

  /// Whether the container has ended and will not run again.
  bool finished() const { return phase_ == Phase::finished; }
  bool running() const { return phase_ == Phase::running; }
  int exit_code() const { return run_ ? run_->exit_code() : 0; }
  /// The pid of the container's keeper; 0 if it has none.
  pid_t keeper() const { return program_.keeper(); }

  const std::string& name() const { return plan_.name; }
  /// The socket to the keeper for CommandRequests; null if no program is running.
  const Fd* requests() const { return program_.requests(); }

  Json status() const;

 private:
  enum class Phase { waiting, running, backing_off, finished };

  /// The container's v1.ContainerState.
  Json state() const;
  void start_again();
  void end(const ProgramEnd& end);
  void restart_because(const ProbePlan& probe, const std::string& why);

  ContainerContext& context_;
  const ContainerPlan& plan_;
  RestartPolicy policy_;
  Phase phase_ = Phase::waiting;
  ContainerProgram program_;
  ContainerProbes probes_;
  PreStopHook hook_;
  std::optional<ProgramRun> run_;  ///< the current run or the last one
  Json last_terminated_;           ///< v1.ContainerStateTerminated of the previous run; null if there is none
  int restart_count_ = 0;
  bool is_stopping_ = false;
  /// While the program is running: the end of the grace period after a failed probe. During back-off: the
  /// next start.
  EventLoop::Timer timer_{};
};

}  // namespace kml::local
