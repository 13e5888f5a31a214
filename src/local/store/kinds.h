#pragma once

#include "kml/api/resource.h"

namespace kml::local::kinds {

// The kinds that the node and the controllers work with. The store tells kinds apart by these addresses.
inline const api::ResourceKind& pod = *api::find_kind("v1", "Pod");
inline const api::ResourceKind& node = *api::find_kind("v1", "Node");
inline const api::ResourceKind& event = *api::find_kind("v1", "Event");
inline const api::ResourceKind& secret = *api::find_kind("v1", "Secret");
inline const api::ResourceKind& config_map = *api::find_kind("v1", "ConfigMap");
inline const api::ResourceKind& claim = *api::find_kind("v1", "PersistentVolumeClaim");
inline const api::ResourceKind& quota = *api::find_kind("v1", "ResourceQuota");
inline const api::ResourceKind& job = *api::find_kind("batch/v1", "Job");
inline const api::ResourceKind& pytorchjob = *api::find_kind("kubeflow.org/v1", "PyTorchJob");

}  // namespace kml::local::kinds
