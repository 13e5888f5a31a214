#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::local {

/// The container, and the run of it, that a log request asks for.
struct ContainerRun {
  std::string container;
  int restart = 0;
  bool terminated = false;
};

/// Throws 400 if the request must name a container, or if the container does not exist or has not run (or not
/// run before, with `previous`). The message has the wording of the API server or the kubelet.
ContainerRun choose_container(const Json& pod, const std::string& container, bool previous);

/// Whether that run has ended, according to the pod's status.
bool has_ended(const Json& pod, const ContainerRun& run);

}  // namespace kml::local
