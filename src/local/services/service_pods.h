#pragma once

#include <vector>

#include "kml/base/json.h"
#include "local/services/routes.h"
#include "local/store/store.h"

namespace kml::local {

/// Whether the server listens for the Service.
bool has_ports(const Json& service);
/// Whether the Service's selector matches the labels of a pod or of a pod template.
bool selects(const Json& service, const Json& labelled);

/// The ports on this machine behind a Service's port: one for each pod that is ready (or, with
/// publishNotReadyAddresses, running) and not being deleted.
std::vector<int> targets_of(const Json& service, const Json& port, const std::vector<ObjectPtr>& pods);

/// The Deployment with the annotation api::kIdle whose pods the Service selects; nullptr if none exists.
ObjectPtr idle_deployment_of(const Store& store, const Json& service);

/// Adds to the route why none of the Service's pods is ready.
void explain_unready(ServiceRoute& route, const Json& service, const std::vector<ObjectPtr>& pods);

}  // namespace kml::local
