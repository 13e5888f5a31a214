#pragma once

#include "local/store/store.h"

namespace kml::local {

/// Gives a new pod its own ports, because replicas share this machine's network: in each container whose
/// variable PORT is one of its containerPorts, PORT becomes a free port. The annotation api::kPorts records
/// it. Throws Error if no port is free.
void give_ports(Json& pod, const Store& store);

}  // namespace kml::local
