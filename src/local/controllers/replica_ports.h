#pragma once

#include "local/store/store.h"

namespace kml::local {

/// Gives a new pod ports that no other pod uses, because all replicas share this machine's network. If a
/// container's variable PORT is one of its containerPorts, sets PORT to a free port. The annotation
/// api::kPorts records the change. Throws Error if it finds no free port.
void give_ports(Json& pod, const Store& store);

}  // namespace kml::local
