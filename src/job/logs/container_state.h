#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/logs/log_lines.h"

namespace kml::job {

/// The state of one container in a pod's status (v1.ContainerStatus).
struct ContainerState {
  /// containerID of the last started run, whose log the server returns. Empty before the first run.
  std::string run = {};
  int restarts = 0;                        ///< the number of the last started run, from 0
  bool ended = false;                      ///< whether the last started run has ended
  std::optional<ContainerExit> exit = {};  ///< how the last started run ended, if known
  /// containerID of the run before the last one, which `previous` selects
  std::string run_before = {};
  std::optional<ContainerExit> exit_before = {};  ///< how the run before the last one ended
};

ContainerState container_state(const Json& pod, const std::string& container);

/// Whether the pod failed, or the last run of a container, or the run before the last one.
bool ended_badly(const Json& pod);

/// The names of a pod's containers: first init containers, including sidecars, then main containers, then
/// ephemeral ones.
std::vector<std::string> containers_of(const Json& pod);

/// Whether the container is a main one: not an init container, a sidecar or an ephemeral container.
bool is_main_container(const Json& pod, const std::string& container);

}  // namespace kml::job
