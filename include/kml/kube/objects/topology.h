#pragma once

#include <string_view>

// Kueue's annotations of a pod template that place all its pods on nodes of one rack or block (pkg
// apis/kueue/v1beta2/topology_types.go).

namespace kml::api {

/// The value of both annotations is the key of a node label; the label's value names the rack.
inline constexpr std::string_view kRequiredTopology = "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view kPreferredTopology = "kueue.x-k8s.io/podset-preferred-topology";
/// Two templates with the same group share the rack. One of the two must have a single pod.
inline constexpr std::string_view kTopologyGroup = "kueue.x-k8s.io/podset-group-name";

}  // namespace kml::api
