#pragma once

#include <optional>

#include "kml/kube/kubeconfig/kubeconfig.h"

namespace kml::kube {

/// The account that Kubernetes gives to a pod, as client-go's rest.InClusterConfig; empty where this process
/// is in no pod.
std::optional<Target> in_cluster_target(const KubeconfigOptions& options);

}  // namespace kml::kube
