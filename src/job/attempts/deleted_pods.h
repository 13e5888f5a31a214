#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/job/attempts/attempts.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The names of the pods that the controller has created, according to its events. Empty if the user may not
/// read them.
std::set<std::string> made_pods(kube::Client& client, const Json& job);

/// The attempts of these deleted pods, according to the kubelet's events. Leaves out a pod that never
/// started. Reads the events of at most 20 pods. By default, a cluster keeps events for an hour.
std::vector<Attempt> attempts_of_deleted(kube::Client& client, const Json& job,
                                         const std::set<std::string>& pods);

}  // namespace kml::job
