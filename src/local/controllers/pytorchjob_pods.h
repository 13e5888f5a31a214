#pragma once

#include <string>

#include "local/store/store.h"

namespace kml::local {

/// spec.pytorchReplicaSpecs[type].replicas, 0 if there is no such type.
int replica_count(const Json& job, const std::string& type);

/// The pod of one replica, with the training operator's labels and environment. MASTER_ADDR is this machine,
/// as pods have no addresses of their own here.
Json pytorchjob_pod(const Json& job, const std::string& type, int index, size_t gang_size);

}  // namespace kml::local
