#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::serve {

/// The annotation of the Deployment with the id of the pipeline run whose step made it, or last updated it.
inline constexpr std::string_view kServedBy = "kml.dev/served-by";
/// The environment variable in which the step passes that id to `kml serve`.
inline constexpr const char* kServedByVariable = "KML_SERVED_BY";

/// The annotation of the Deployment with its inputs: "model=RUN/train.model@DIGEST data=/path".
inline constexpr std::string_view kServedInputs = "kml.dev/inputs";

/// The name of a replica's port, and of the Service's port. The Service refers to the replica's port by this
/// name, because revisions may have different port numbers.
inline constexpr const char* kPortName = "http";

/// The script that a replica runs, with the shell of its image, before it gets SIGTERM. For five seconds, the
/// replica still accepts requests, because nodes learn with a short delay that they must not send it new
/// ones. Then the script waits until no connection to PORT is established (state 01 in /proc/net/tcp, see the
/// kernel's proc_net_tcp.rst). The end of the pod's grace period limits this wait.
inline constexpr const char* kPreStop = R"(sleep 5
port=$(printf ':%04X' "$PORT")
is_open() { while read -r _ here _ state _; do case $here,$state in *"$port",01) return 0 ;; esac; done; return 1; }
while is_open 2>/dev/null </proc/net/tcp || is_open 2>/dev/null </proc/net/tcp6; do sleep 1; done
)";

/// How a model is served.
struct ServeSettings {
  std::string name;
  /// the port where the command listens; the variable PORT contains the number
  int port = 8080;
  std::optional<long long> replicas =
      {};  ///< the number of replicas; empty means the current number, or 1 for a new Deployment
  std::string ready_path =
      {};  ///< a replica is ready when GET of this path succeeds, or, if this is empty, when its port is open
  /// The time without a request after which the model is scaled to zero. 0 means never; empty means the
  /// current setting, or never for a new Deployment.
  std::optional<std::chrono::seconds> idle = {};
  bool by_kserve = false;  ///< an InferenceService, whose Deployment and Service KServe makes
};

/// A Deployment that runs the pod template of a planned Job. During an update, no old replica is stopped
/// before a new one is ready, and an old replica keeps running until its requests have ended (kPreStop).
Json serve_deployment(const Json& job, const ServeSettings& settings);

/// The Service of that Deployment. It forwards requests to the Deployment's pods, or to its activator.
Json serve_service(const Json& deployment, int port, bool by_activator = false);

/// How many replicas there will be: what the settings say or, for the `existing` Deployment, the number that
/// it has or will have again at the next request, but at least 1. `existing` may be null.
long long planned_replicas(const ServeSettings& settings, const Json& existing);

/// The existing Deployment with the changes that a new call of `kml serve` requests. Keeps the number of
/// replicas, but at least 1, unless the settings have one. If the Deployment was scaled to zero, restores its
/// earlier number.
Json updated_deployment(Json existing, const Json& wanted, const ServeSettings& settings);

/// The label selector of a model, "kml.dev/serve=NAME", or, without a name, of all models.
std::string serve_selector(const std::string& name = {});

}  // namespace kml::serve
