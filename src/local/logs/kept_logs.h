#pragma once

#include <filesystem>
#include <string>

#include "local/logs/container_choice.h"

namespace kml::local {

/// The logs of a pod that is gone (preempted, suspended, made again), kept as long as its job exists. A real
/// server has none: they are asked for with `uid`, a parameter of this server's own, at the pod's log path.
class KeptLogs {
 public:
  /// `pod` is "NAMESPACE/NAME". Throws 404 where nothing is kept of that pod with that uid.
  KeptLogs(const std::filesystem::path& pods_folder, const std::string& pod, const std::string& uid);

  /// Throws 400 as local::choose_container does.
  ContainerRun choose_container(const std::string& container, bool previous) const;

 private:
  std::string pod_;
  std::filesystem::path folder_;
};

}  // namespace kml::local
