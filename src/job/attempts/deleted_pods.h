#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kml/job/attempts/attempts.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The names of the pods that the job's controllers have created, and how often, according to their events.
/// The pods of a JobSet, a TrainJob and an MPIJob's launcher are created by inner Jobs. There are no events
/// about an MPIJob's workers, but their names are known. A PyTorchJob creates
/// pods with the same names again. Empty if the user may not read events.
std::map<std::string, long long> made_pods(kube::Client& client, const Json& job);

/// The attempts of these pods, according to the kubelet's events. Leaves out pods with a uid in `known`, and
/// pods that never started. Reads the events of at most 20 pods. By default, a cluster keeps
/// events for an hour.
std::vector<Attempt> attempts_of_deleted(kube::Client& client, const Json& job,
                                         const std::set<std::string>& pods,
                                         const std::set<std::string>& known = {});

}  // namespace kml::job
