#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/kube/objects/usage.h"
#include "local/shim/container_context.h"
#include "local/shim/container_output.h"
#include "local/shim/keeper.h"

namespace kml::local {

/// How a run of a program ended.
struct ProgramEnd {
  int exit_code = 0;
  /// fields of v1.ContainerStateTerminated, as far as the processes show them
  std::string reason, message = {};
  int signal = 0;  ///< the signal that ended the program
};

/// The exit code that containerd reports for a program that could not be started.
inline constexpr int kStartError = 128;

/// The processes of a container's program. Starts the program with a keeper, in separate namespaces if
/// possible, and reads the keeper's reports. Knows nothing about restarts.
class ContainerProgram {
 public:
  struct Callbacks {
    std::function<void()> started;
    std::function<void(const ProgramEnd& end)> ended;
  };
  /// `context` and `plan` must outlive this object.
  ContainerProgram(ContainerContext& context, const ContainerPlan& plan, Callbacks callbacks);

  void start(int run);
  /// Sends a signal to the keeper: SIGTERM is meant for the program only, SIGUSR1 kills all its processes.
  /// Does nothing if the program is not running.
  void signal(int signal) const;
  /// Call this when a child with that pid was reaped. Returns false if the child is not the keeper. If
  /// namespaces turn out to be forbidden and the program `may_start`, starts it again without them.
  bool reaped(pid_t pid, bool may_start);

  /// Whether the program itself is running, not just its keeper.
  bool is_up() const { return keeper_.pid != 0 && is_started_; }
  /// The pid of the program's keeper; 0 if it has none.
  pid_t keeper() const { return keeper_.pid; }
  /// The socket to the keeper for CommandRequests; null if the program is not running.
  const Fd* requests() const { return is_up() ? &keeper_.requests : nullptr; }
  /// The resources used by the runs that have ended.
  const std::optional<api::ContainerUsage>& used() const { return used_; }
  /// The end of the last run's output, if the status may show it.
  std::string end_of_output() const { return output_.end(); }

 private:
  void launch(bool namespaces);
  void read_reports();
  ProgramEnd end_of(int status);
  void count_usage(const KeeperReport& report);
  void forget_keeper();

  ContainerContext& context_;
  const ContainerPlan& plan_;
  Callbacks callbacks_;
  Keeper keeper_;
  ContainerOutput output_;
  std::string no_namespaces_;  ///< why namespaces cannot be used
  std::string refusal_;        ///< why the program could not be started
  bool is_started_ = false;
  Time launched_at_ = {};
  std::optional<api::ContainerUsage> used_;
};

}  // namespace kml::local
