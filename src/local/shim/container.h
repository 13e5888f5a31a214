#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kml/kube/objects/usage.h"
#include "local/loop/event_loop.h"
#include "local/shim/container_probes.h"
#include "local/shim/keeper.h"
#include "local/shim/log_writer.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"
#include "local/shim/probe_attempt.h"

namespace kml::local {

/// One container of a pod inside its shim: runs its program as often as the restart policy says, writes its
/// log and knows its v1.ContainerStatus.
class Container {
 public:
  struct Context {
    EventLoop& loop;
    const PodPlan& pod;
    PodFolder folder;
    std::function<void()> changed;  ///< called when the status has changed
    /// Kills the processes that a killed keeper left behind; the shim, as subreaper, has become their parent.
    std::function<void()> kill_orphans;
    const PodCgroup& cgroup;
  };

  /// `restarts` is the restart policy: Always, OnFailure or Never.
  Container(Context& context, const ContainerPlan& plan, std::string restarts);

  void start();
  /// Sends SIGTERM to the program only. The container is not restarted.
  void terminate();
  /// Does the same after the preStop hook, during which the program continues.
  void stop();
  /// Whether that hook is still running.
  bool is_in_hook() const { return in_hook_; }
  /// Kills all processes. The container is not restarted.
  void kill();
  /// Kills all processes because of the container's own fault; it may be restarted.
  void kill_because(const std::string& why);
  /// Call when a child with that pid was reaped. Returns false if it is not the container's keeper.
  bool reaped(pid_t pid);

  /// Whether the container has ended and will not run again.
  bool finished() const { return phase_ == Phase::finished; }
  bool running() const { return phase_ == Phase::running; }
  int exit_code() const { return exit_code_; }
  /// The pid of the container's keeper; 0 if it has none.
  pid_t keeper() const { return keeper_.pid; }

  const std::string& name() const { return plan_.name; }
  /// The socket to the keeper for CommandRequests; null while no program runs.
  const Fd* requests() const { return running() && started_ ? &keeper_.requests : nullptr; }

  Json status() const;
  /// The container's v1.ContainerState.
  Json state() const;

 private:
  enum class Phase { waiting, running, backing_off, finished };

  void launch(bool namespaces);
  void read_output(OutputStream stream, uint32_t events);
  void take_output(OutputStream stream, std::string_view bytes);
  void write_unfinished_later();
  void read_reports();
  void ended(const KeeperReport& report);
  void forget_keeper();
  void end_hook();
  void close_output();
  std::filesystem::path message_file() const { return context_.folder.message(plan_.name); }
  std::string message_of(int exit_code) const;
  void end(int exit_code, std::string reason, std::string message);
  void back_off();
  void restart_because(const ProbePlan& probe, const std::string& why);

  Context& context_;
  const ContainerPlan& plan_;
  std::string restarts_;
  Phase phase_ = Phase::waiting;
  ContainerProbes probes_;
  EventLoop::Timer stop_timer_{};  ///< the end of a preStop sleep, or of a failed probe's grace period
  std::unique_ptr<ProbeAttempt> hook_;
  bool stopping_ = false, in_hook_ = false, killed_ = false;

  Keeper keeper_;
  std::string no_namespaces_;  ///< why they cannot be used
  Fd output_[2];               ///< by OutputStream
  std::unique_ptr<LogWriter> log_;
  std::optional<EventLoop::Timer> unfinished_;  ///< writes lines that have no newline yet
  OutputTail tail_;                             ///< filled only if the status may show it
  std::optional<MemoryKills> memory_kills_;     ///< on the whole machine, since the container's start
  std::optional<MemoryKills> limit_kills_;      ///< at the container's memory limit, if it has one
  std::string killed_because_;
  std::string refusal_;  ///< why the program could not be started
  bool started_ = false;

  std::optional<api::ContainerUsage> used_;  ///< by the container's earlier runs

  int restart_count_ = 0;
  int exit_code_ = 0;
  Time started_at_{};
  std::chrono::nanoseconds delay_{0};
  EventLoop::Timer timer_{};
  Json terminated_, last_terminated_;  ///< v1.ContainerStateTerminated, or null
};

}  // namespace kml::local
