#pragma once

#include <string>

#include "local/store/store.h"

namespace kml::local {

/// The value of spec.pytorchReplicaSpecs[type].replicas; 0 if the job has no replicas of that type.
int replica_count(const Json& job, const std::string& type);

/// The pod for one replica, with the training operator's labels and environment variables. MASTER_ADDR is the
/// loopback address, because pods here have no addresses of their own.
Json pytorchjob_pod(const Json& job, const std::string& type, int index, size_t gang_size);

}  // namespace kml::local
