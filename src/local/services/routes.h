#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// A port of a Service, and the ports of this machine at which its ready pods listen.
struct ServiceRoute {
  std::string service;  ///< "NAMESPACE/NAME"
  int port;             ///< of 127.0.0.1
  std::vector<int> targets;
};

Json to_json(const std::vector<ServiceRoute>& routes);
/// Ignores what it cannot read.
std::vector<ServiceRoute> routes_from_json(const Json& json);

/// The folder of the proxy's files, with the same properties as a pod's: the server appends the routes to
/// `status`, as a shim its report; the running proxy has locked `claim`.
inline PodFolder proxy_folder(const std::filesystem::path& state) {
  return {state / "proxy"};
}

/// Whether a proxy runs for that folder.
bool proxy_runs(const PodFolder& folder);
/// Locks `claim` for this process; empty if another proxy runs.
Fd lock_proxy(const PodFolder& folder);

}  // namespace kml::local
