#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"

namespace kml::job {

/// Whether Kueue copies the job to another cluster, in which its pods run (MultiKueue). Kueue marks such a
/// job when it is created.
bool is_dispatched(const Json& job);

/// Where Kueue has copied a job to.
struct Dispatch {
  std::string cluster;   ///< the name of a MultiKueueCluster
  std::string workload;  ///< the job's Workload, whose name is the same in both clusters
};

/// Selects the Workloads of the job.
std::string workload_selector(const Json& job);

/// The cluster that is named in the Workload; empty if Kueue has not chosen one.
std::optional<Dispatch> dispatch_in(const Json& workload);
/// Reads the job's Workload. Empty if Kueue has not chosen a cluster, or if the user may not read Workloads.
std::optional<Dispatch> find_dispatch(kube::Client& client, const Json& job);

/// Whether the job is the copy that Kueue has made for the Workload.
bool is_copy(const Json& job, const Dispatch& dispatch);

/// The addresses by which Kueue reaches the cluster. Empty if the user may not read them: they are in a
/// Secret that most users may not read.
std::vector<std::string> addresses_of(kube::Client& client, const std::string& cluster);

}  // namespace kml::job
