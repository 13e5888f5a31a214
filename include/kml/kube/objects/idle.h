#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::api {

/// The annotation of a Deployment with its idle limit: after this time without a request, it is scaled to
/// zero, and when a request arrives, it is scaled back. The embedded server does this; in a cluster, the
/// activator's pod does. The value is a duration, as in `kml serve --idle 10m`.
inline constexpr std::string_view kIdle = "kml.dev/idle";
/// The annotation of a Deployment that was scaled to zero because it was idle: its earlier number of
/// replicas.
inline constexpr std::string_view kIdleReplicas = "kml.dev/idle-replicas";

/// The idle limit of a Deployment; empty if it must keep running without requests.
std::optional<std::chrono::seconds> idle_limit_of(const Json& deployment);
/// Whether the Deployment has no replicas because no request arrived, and not because a user scaled it to
/// zero.
bool is_scaled_to_zero(const Json& deployment);
/// The number of replicas that the Deployment has, or will have again at the next request.
long long replicas_when_used(const Json& deployment);
/// Scales the Deployment to zero, and records how many replicas it had.
void scale_to_zero(Json& deployment);
/// Gives a Deployment that was scaled to zero its earlier number of replicas.
void scale_back(Json& deployment);
/// The text about a Deployment that is scaled to zero: "scaled to zero after 10m without a request".
std::string scaled_to_zero_text(const Json& deployment);

}  // namespace kml::api
