#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// The address and port of a ready pod.
struct RouteTarget {
  // NOLINTNEXTLINE(google-explicit-constructor): pods of the embedded server have only a port
  RouteTarget(int at, std::string host = {}) : port(at), address(std::move(host)) {}

  int port;
  std::string address;  ///< an IPv4 or IPv6 address; empty for this machine

  bool operator==(const RouteTarget&) const = default;
};

/// A Service's port with its ready pods.
struct ServiceRoute {
  std::string service;  ///< "NAMESPACE/NAME"
  int port;             ///< of this machine
  std::vector<RouteTarget> targets;
  /// The pods are scaled to zero after this time without a request; zero means that they always run.
  std::chrono::seconds idle{0};
  std::string problem = {};  ///< why none of these pods is ready; may be empty
  bool is_hopeless = false;  ///< whether waiting for the pods is useless
  bool is_public = false;    ///< whether the port is open on all addresses of this machine
};

Json to_json(const std::vector<ServiceRoute>& routes);
/// Skips entries that it cannot read.
std::vector<ServiceRoute> routes_from_json(const Json& json);

/// The proxy's observations at ports whose pods may be scaled to zero.
struct Demand {
  std::vector<int> wanted;  ///< ports at which a request is waiting for a pod
  std::vector<int> idle;    ///< ports with ready pods that have had no request for the time in their route

  bool operator==(const Demand&) const = default;
};

Json to_json(const Demand& demand);
/// Skips entries that it cannot read.
Demand demand_from_json(const Json& json);

/// The folder with the proxy's files. It works like a pod's folder: the server appends the routes to
/// `status`, as a shim appends its report, and the running proxy holds a lock on `claim`.
inline PodFolder proxy_folder(const std::filesystem::path& state) {
  return {state / "proxy"};
}
/// The folder where the proxy appends the Demand to `status`.
inline PodFolder demand_folder(const PodFolder& proxy) {
  return {proxy.path / "demand"};
}

/// Whether a proxy is running for that folder.
bool proxy_runs(const PodFolder& folder);
/// Locks `claim` for this process. Empty if another proxy is running.
Fd lock_proxy(const PodFolder& folder);
/// Starts a proxy for that folder in the background, as `binary proxy STATE`. Returns its pid. Throws Error
/// if that fails.
int start_proxy(const std::filesystem::path& binary, const std::filesystem::path& state);

}  // namespace kml::local
