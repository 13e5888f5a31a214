#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kml/api/usage.h"
#include "local/loop/event_loop.h"
#include "local/shim/container_probes.h"
#include "local/shim/keeper.h"
#include "local/shim/log_writer.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// One container of a pod inside its shim: runs its program as often as the restart policy says, writes its
/// log and knows its v1.ContainerStatus.
class Container {
 public:
  struct Context {
    EventLoop& loop;
    const PodPlan& pod;
    PodFolder folder;
    std::function<void()> changed;  ///< the status is another
    /// Ends what a killed keeper has left, which the shim, a subreaper, got as its children.
    std::function<void()> kill_orphans;
    const PodCgroup& cgroup;
  };

  /// `restarts` names the exit codes after which it runs again: Always, OnFailure or Never.
  Container(Context& context, const ContainerPlan& plan, std::string restarts);

  void start();
  /// SIGTERM to the program alone; it is not run again.
  void terminate();
  /// The same after a delay, in which the program goes on.
  void terminate_after(nanoseconds delay);
  /// SIGKILL to all processes.
  void kill();
  /// The same, for what the container did; it may run again.
  void kill_because(const std::string& why);
  /// The keeper's end; call when a child with that pid was reaped. Returns false if it is another's.
  bool reaped(pid_t pid);

  /// It has ended and will not run again.
  bool finished() const { return phase_ == Phase::finished; }
  bool running() const { return phase_ == Phase::running; }
  int exit_code() const { return exit_code_; }
  /// Its keeper's; 0 if it has none.
  pid_t keeper() const { return keeper_.pid; }

  const std::string& name() const { return plan_.name; }
  /// How long its preStop hook sleeps.
  std::chrono::seconds pre_stop() const { return std::chrono::seconds(plan_.pre_stop_seconds); }
  /// Where requests for further commands go; null while no program runs.
  const Fd* requests() const { return running() && started_ ? &keeper_.requests : nullptr; }

  Json status() const;
  /// Its v1.ContainerState.
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
  EventLoop::Timer stop_timer_{};  ///< terminate_after(), or the end of a failed probe's grace
  bool stopping_ = false, killed_ = false;

  Keeper keeper_;
  std::string no_namespaces_;  ///< why they cannot be used
  Fd output_[2];               ///< by OutputStream
  std::unique_ptr<LogWriter> log_;
  std::optional<EventLoop::Timer> unfinished_;  ///< when the lines that have no end yet are written
  OutputTail tail_;                             ///< where the status may show it
  std::optional<MemoryKills> memory_kills_;     ///< of the machine, since its start
  std::optional<MemoryKills> limit_kills_;      ///< at its own limit, where it has one
  std::string killed_because_;
  std::string refusal_;  ///< why the program could not be started
  bool started_ = false;

  std::optional<api::ContainerUsage> used_;  ///< by the runs that have ended

  int restart_count_ = 0;
  int exit_code_ = 0;
  Time started_at_{};
  std::chrono::nanoseconds delay_{0};
  EventLoop::Timer timer_{};
  Json terminated_, last_terminated_;  ///< v1.ContainerStateTerminated, or null
};

}  // namespace kml::local
