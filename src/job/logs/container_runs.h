#pragma once

#include <optional>
#include <string>

#include "job/logs/container_state.h"
#include "kml/job/logs/logs.h"

namespace kml::job {

/// The runs of a container, as far as the pod's status has shown them. Knows which run is being read, and
/// which one is next.
class ContainerRuns {
 public:
  /// A run whose log can be read: the container's last run or the one before it.
  struct Run {
    std::string id;   ///< containerID
    int restart = 0;  ///< the run's number, from 0
    int lost = 0;     ///< how many of the selected runs before this one can no longer be read
  };

  explicit ContainerRuns(const LogSelection& selection) : selection_(selection) {}

  void update(ContainerState state) { state_ = std::move(state); }
  /// Call this once the pod no longer exists.
  void pod_is_gone() { is_gone_ = true; }
  bool is_gone() const { return is_gone_; }
  /// The run to read after the current one; empty if there is none yet.
  std::optional<Run> next() const;
  void begin(const Run& run);

  // The functions below are about the current run, the last one passed to begin().
  bool has_ended() const { return is_gone_ || is_before() || state_.ended; }
  /// Whether the container was restarted after this run.
  bool is_before() const { return state_.run != run_; }
  /// Whether the container was restarted at least twice after this run. The server then no longer has the
  /// run's log.
  bool is_lost() const { return is_before() && state_.run_before != run_; }
  /// Whether a log that was requested before `state` was seen is still this run's log.
  bool is_same_in(const ContainerState& state) const {
    return (is_before() ? state.run_before : state.run) == run_;
  }
  /// How the run ended, if known.
  std::optional<ContainerExit> exit() const;

 private:
  const LogSelection& selection_;
  ContainerState state_;
  bool is_gone_ = false;
  std::string run_;
  int restart_ = 0;
};

}  // namespace kml::job
