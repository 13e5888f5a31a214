#pragma once

#include <string_view>

#include "local/store/store.h"

namespace kml::local {

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
