#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::serve {

/// Annotation of the Deployment: the id of the pipeline run whose step made it, or updated it last.
inline constexpr std::string_view kServedBy = "kml.dev/served-by";
/// The variable with which the step passes that id to `kml serve`.
inline constexpr const char* kServedByVariable = "KML_SERVED_BY";

/// Annotation of the Deployment: its inputs, "model=RUN/train.model@DIGEST data=/path".
inline constexpr std::string_view kServedInputs = "kml.dev/inputs";

/// What a replica does before it gets SIGTERM, with the shell of its image: it still accepts requests for
/// five seconds, because nodes learn a moment late that they must not send it new ones. Then it waits until
/// no connection to PORT is established (state 01 in /proc/net/tcp, see the kernel's proc_net_tcp.rst); the
/// end of the pod's grace period limits the wait.
inline constexpr const char* kPreStop = R"(sleep 5
port=$(printf ':%04X' "$PORT")
is_open() { while read -r _ here _ state _; do case $here,$state in *"$port",01) return 0 ;; esac; done; return 1; }
while is_open 2>/dev/null </proc/net/tcp || is_open 2>/dev/null </proc/net/tcp6; do sleep 1; done
)";

/// How a model is served.
struct ServeSettings {
  std::string name;
  int port = 8080;                         ///< where the command listens: its variable PORT
  std::optional<long long> replicas = {};  ///< empty: as before, or 1
  std::string ready_path =
      {};  ///< a replica is ready when GET of this path succeeds; empty: when its port is open
  /// It is scaled to zero after this time without a request; 0: never; empty: as before, or never.
  std::optional<std::chrono::seconds> idle = {};
};

/// A Deployment that runs the pod template of a planned Job. During an update, no old replica is stopped
/// before a new one is ready, and one that is being stopped keeps running until its requests have ended
/// (kPreStop).
Json serve_deployment(const Json& job, const ServeSettings& settings);

/// The Service of that Deployment. It leads to its pods, or to its activator.
Json serve_service(const Json& deployment, int port, bool by_activator = false);

/// The existing Deployment with the changes of a new request. Keeps the number of replicas unless the
/// settings give one; a Deployment that was scaled to zero gets its replicas again.
Json updated_deployment(Json existing, const Json& wanted, const ServeSettings& settings);

/// "kml.dev/serve=NAME"; without a name, everything that is served.
std::string serve_selector(const std::string& name = {});

}  // namespace kml::serve
