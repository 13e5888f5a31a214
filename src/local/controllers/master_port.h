#pragma once

#include <set>
#include <string_view>

#include "local/store/store.h"

namespace kml::local {

/// A TCP port on this machine that has no listener and is not in `taken`. It is outside the range that the
/// kernel uses by default for outgoing connections, so that it stays free until its owner listens. Throws
/// Error if 1,000 random ports are all in use.
int find_free_port(const std::set<int>& taken);

/// An annotation on a Job or PyTorchJob: the port on this machine where its ranks meet. Pods here have no
/// addresses of their own, so each job needs a different port.
inline constexpr std::string_view kMasterPort = "kml.dev/master-port";

/// A port that no other unfinished job on this server uses.
int choose_master_port(const Store& store);

/// Whether the job's pods find each other by host names of a headless Service.
bool has_named_pods(const Json& job);

/// Lets the pods of a job for which has_named_pods() is true find each other on this machine: an environment
/// variable whose value is such a host name (JOB-INDEX.SUBDOMAIN) gets the loopback address instead, and the
/// variables MASTER_PORT and PET_MASTER_PORT, where they exist, get the job's port.
void meet_on_loopback(Json& pod, const Json& job);

}  // namespace kml::local
