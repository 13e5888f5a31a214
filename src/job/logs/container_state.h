#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/logs/log_lines.h"

namespace kml::job {

/// The state of one container in a pod's status (v1.ContainerStatus).
struct ContainerState {
  /// containerID of the last started run; the server returns the log of that run. Empty before the first.
  std::string run = {};
  int restarts = 0;                               ///< that run's number, from 0
  bool ended = false;                             ///< whether that run has ended
  std::optional<ContainerExit> exit = {};         ///< how it ended, if known
  std::string run_before = {};                    ///< containerID of the run selected by `previous`
  std::optional<ContainerExit> exit_before = {};  ///< how it ended
};

ContainerState container_state(const Json& pod, const std::string& container);

/// Whether the pod or any run of its containers failed, including runs before a restart.
bool ended_badly(const Json& pod);

/// The names of a pod's containers: init containers first, then sidecars among them, main ones, ephemeral
/// ones.
std::vector<std::string> containers_of(const Json& pod);

/// Whether the container is not an init container, sidecar or ephemeral container.
bool is_main_container(const Json& pod, const std::string& container);

}  // namespace kml::job
