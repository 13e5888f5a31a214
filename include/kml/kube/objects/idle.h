#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::api {

/// Annotation of a Deployment: after this time without a request, it is scaled to zero, and back when a
/// request arrives; by the embedded server, or by the activator's pod in a cluster. A duration, as in `kml
/// serve --idle 10m`.
inline constexpr std::string_view kIdle = "kml.dev/idle";
/// Annotation of a Deployment that was scaled to zero for that reason: its earlier number of replicas.
inline constexpr std::string_view kIdleReplicas = "kml.dev/idle-replicas";

/// Empty if the Deployment must keep running without requests.
std::optional<std::chrono::seconds> idle_limit_of(const Json& deployment);
/// Whether it has no replicas because no request arrived, and not because a user scaled it to zero.
bool is_scaled_to_zero(const Json& deployment);
/// The replicas that it has, or will have again at the next request.
long long replicas_when_used(const Json& deployment);
/// Scales it to zero, and notes how many replicas it had.
void scale_to_zero(Json& deployment);
/// Gives a Deployment that was scaled to zero its replicas again.
void scale_back(Json& deployment);
/// "scaled to zero after 10m without a request".
std::string scaled_to_zero_text(const Json& deployment);

}  // namespace kml::api
