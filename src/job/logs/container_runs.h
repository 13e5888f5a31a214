#pragma once

#include <optional>
#include <string>

#include "job/logs/container_state.h"
#include "kml/job/logs/logs.h"

namespace kml::job {

/// The runs of a container, as far as the pod's status has shown them: which one is being read, which one
/// comes next.
class ContainerRuns {
 public:
  /// A container's log can be read for its last run and the one before.
  struct Run {
    std::string id;   ///< containerID
    int restart = 0;  ///< its number, from 0
    int lost = 0;     ///< runs before it that were wanted, and can no longer be read
  };

  explicit ContainerRuns(const LogSelection& selection) : selection_(selection) {}

  void update(ContainerState state) { state_ = std::move(state); }
  /// The pod no longer exists.
  void pod_is_gone() { is_gone_ = true; }
  bool is_gone() const { return is_gone_; }
  /// The run to read after the current one, if there is one yet.
  std::optional<Run> next() const;
  void begin(const Run& run);

  // About the run that was begun last:
  bool has_ended() const { return is_gone_ || is_before() || state_.ended; }
  /// Whether the container has started again since.
  bool is_before() const { return state_.run != run_; }
  /// Whether it has started again twice, so that the server no longer has the log.
  bool is_lost() const { return is_before() && state_.run_before != run_; }
  /// Whether its log is still the one that the server returned, if `state` was seen later.
  bool is_same_in(const ContainerState& state) const {
    return (is_before() ? state.run_before : state.run) == run_;
  }
  /// How it ended, if known.
  std::optional<ContainerExit> exit() const;

 private:
  const LogSelection& selection_;
  ContainerState state_;
  bool is_gone_ = false;
  std::string run_;
  int restart_ = 0;
};

}  // namespace kml::job
