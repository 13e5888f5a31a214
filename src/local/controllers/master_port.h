#pragma once

#include <set>
#include <string_view>

#include "local/store/store.h"

namespace kml::local {

/// A TCP port of this machine that nothing listens on and that is not in `taken`. Outside the range that the
/// kernel gives to outgoing connections, so that it stays free until its owner listens. Throws Error if
/// there is none.
int find_free_port(const std::set<int>& taken);

/// Annotation of a Job or PyTorchJob: the port on this machine that its ranks meet at. Pods have no addresses
/// of their own here, so that each job needs one of its own.
inline constexpr std::string_view kMasterPort = "kml.dev/master-port";

/// A port that no other unfinished job of this server has.
int choose_master_port(const Store& store);

/// Whether the job's pods look for each other by the names that a headless Service would give them.
bool has_named_pods(const Json& job);

/// Lets a pod of such a job find the others on this machine: the names (JOB-INDEX.SUBDOMAIN) in its variables
/// become the loopback address, and MASTER_PORT and PET_MASTER_PORT the job's port.
void meet_on_loopback(Json& pod, const Json& job);

}  // namespace kml::local
