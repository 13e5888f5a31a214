#pragma once

#include <set>
#include <string_view>

#include "local/store/store.h"

namespace kml::local {

/// A TCP port on this machine that has no listener and is not in `taken`. It is outside the kernel's range
/// for outgoing connections, so that it stays free until its owner listens. Throws Error if all ports are in
/// use.
int find_free_port(const std::set<int>& taken);

/// Annotation of a Job or PyTorchJob: the port on this machine where its ranks meet. Pods here do not have
/// their own addresses, so each job needs its own port.
inline constexpr std::string_view kMasterPort = "kml.dev/master-port";

/// A port that no other unfinished job of this server uses.
int choose_master_port(const Store& store);

/// Whether the job's pods find each other by the host names of a headless Service.
bool has_named_pods(const Json& job);

/// Lets the pods of such a job find each other on this machine: replaces host names (JOB-INDEX.SUBDOMAIN) in
/// the environment variables with the loopback address, and sets MASTER_PORT and PET_MASTER_PORT to the job's
/// port.
void meet_on_loopback(Json& pod, const Json& job);

}  // namespace kml::local
