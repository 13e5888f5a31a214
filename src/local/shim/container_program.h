#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "kml/kube/objects/usage.h"
#include "local/shim/container_context.h"
#include "local/shim/container_output.h"
#include "local/shim/keeper.h"

namespace kml::local {

/// How a run of a program ended.
struct ProgramEnd {
  int exit_code = 0;
  std::string reason, message = {};  ///< of v1.ContainerStateTerminated, as far as the processes tell
};

/// The exit code that containerd reports for a program that could not be started.
inline constexpr int kStartError = 128;

/// A container's program as processes: starts it under a keeper, if possible in namespaces of its own, and
/// reads what the keeper reports. It knows nothing of restarts.
class ContainerProgram {
 public:
  struct Callbacks {
    std::function<void()> started;
    std::function<void(const ProgramEnd& end)> ended;
  };
  /// `context` and `plan` must outlive it.
  ContainerProgram(ContainerContext& context, const ContainerPlan& plan, Callbacks callbacks);

  void start(int run);
  /// SIGTERM for the program alone, SIGUSR1 to kill all its processes. Does nothing unless it runs.
  void signal(int signal) const;
  /// Call when a child with that pid was reaped. Returns false if it is not the keeper. If namespaces turn
  /// out to be forbidden, the program starts again without them, if it `may_start`.
  bool reaped(pid_t pid, bool may_start);

  /// Whether the program itself runs, and not only its keeper.
  bool is_up() const { return keeper_.pid != 0 && is_started_; }
  /// The pid of its keeper; 0 if it has none.
  pid_t keeper() const { return keeper_.pid; }
  /// The socket to the keeper for CommandRequests; null unless it is up.
  const Fd* requests() const { return is_up() ? &keeper_.requests : nullptr; }
  /// By the runs that have ended.
  const std::optional<api::ContainerUsage>& used() const { return used_; }
  /// The end of what the last run printed, if the status may show it.
  std::string end_of_output() const { return output_.end(); }

 private:
  void launch(bool namespaces);
  void read_reports();
  void count_usage(const KeeperReport& report);
  void forget_keeper();

  ContainerContext& context_;
  const ContainerPlan& plan_;
  Callbacks callbacks_;
  Keeper keeper_;
  ContainerOutput output_;
  std::string no_namespaces_;  ///< why they cannot be used
  std::string refusal_;        ///< why the program could not be started
  bool is_started_ = false;
  std::optional<api::ContainerUsage> used_;
};

}  // namespace kml::local
