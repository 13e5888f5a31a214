#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::local {

/// Which run of which container a request for logs means.
struct ContainerRun {
  std::string container;
  int restart = 0;
  bool terminated = false;
};

/// Throws 400 if the container must be named, does not exist, or has not run (that time) yet; worded as
/// the API server and the kubelet do.
ContainerRun choose_container(const Json& pod, const std::string& container, bool previous);

/// Whether that run has ended, as the pod's status now says.
bool has_ended(const Json& pod, const ContainerRun& run);

}  // namespace kml::local
