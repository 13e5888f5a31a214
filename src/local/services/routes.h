#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// Where a ready pod listens.
struct RouteTarget {
  // NOLINTNEXTLINE(google-explicit-constructor): pods of the embedded server have only a port
  RouteTarget(int at, std::string host = {}) : port(at), address(std::move(host)) {}

  int port;
  std::string address;  ///< of IPv4 or IPv6; empty for this machine

  bool operator==(const RouteTarget&) const = default;
};

/// A port of a Service, and its ready pods.
struct ServiceRoute {
  std::string service;  ///< "NAMESPACE/NAME"
  int port;             ///< of 127.0.0.1
  std::vector<RouteTarget> targets;
  /// The pods are scaled to zero after this long without a request; zero if they always run.
  std::chrono::seconds idle{0};
  std::string problem = {};  ///< why none of these pods is ready; may be empty
  bool is_hopeless = false;  ///< waiting for them is useless
  bool is_public = false;    ///< the port is open at all addresses on this machine
};

Json to_json(const std::vector<ServiceRoute>& routes);
/// Ignores what it cannot read.
std::vector<ServiceRoute> routes_from_json(const Json& json);

/// The proxy's observations at ports whose pods may be scaled to zero.
struct Demand {
  std::vector<int> wanted;  ///< a request waits there for a pod
  std::vector<int> idle;  ///< pods are ready there, but no request has arrived for as long as the route says

  bool operator==(const Demand&) const = default;
};

Json to_json(const Demand& demand);
/// Ignores what it cannot read.
Demand demand_from_json(const Json& json);

/// The folder of the proxy's files, with the same properties as a pod's: the server appends the routes to
/// `status`, as a shim its report; the running proxy has locked `claim`.
inline PodFolder proxy_folder(const std::filesystem::path& state) {
  return {state / "proxy"};
}
/// Where the proxy appends the Demand to `status`.
inline PodFolder demand_folder(const PodFolder& proxy) {
  return {proxy.path / "demand"};
}

/// Whether a proxy runs for that folder.
bool proxy_runs(const PodFolder& folder);
/// Locks `claim` for this process; empty if another proxy runs.
Fd lock_proxy(const PodFolder& folder);
/// Starts a proxy for that folder in the background, as `binary proxy STATE`. Returns its pid. Throws Error.
int start_proxy(const std::filesystem::path& binary, const std::filesystem::path& state);

}  // namespace kml::local
