#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::local {

/// The container, and its run, whose log was requested.
struct ContainerRun {
  std::string container;
  int restart = 0;
  bool terminated = false;
};

/// Throws 400 if the request must name a container, or if the container does not exist, has not run, or (with
/// `previous`) has not run before. The message is worded as by the API server or the kubelet.
ContainerRun choose_container(const Json& pod, const std::string& container, bool previous);

/// Whether the pod's status says that this run has ended.
bool has_ended(const Json& pod, const ContainerRun& run);

}  // namespace kml::local
