#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/why/facts.h"
#include "kml/base/json.h"
#include "kml/job/why/cause.h"

namespace kml::job {

/// The pod resource that a quota's entry limits: "cpu" for "requests.cpu".
std::string resource_in_quota(const std::string& entry);

/// Whether the quota counts the pod, which may lack fields: it was listed briefly, or is only a spec. Empty
/// if missing fields decide.
std::optional<bool> counts_in_quota(const Json& quota, const Json& pod);

/// The specs of the pods that the job still needs.
std::vector<Json> missing_specs(const Facts& facts);

/// Which jobs use up this entry of the quota, largest first. Leaves out a pod if it is unknown whether the
/// quota counts it.
std::vector<Holder> holders_of_quota(const Facts& facts, const Json& quota, const std::string& entry);

/// The fewest jobs in the namespace to cancel so that all pods that the job still needs fit into its quotas
/// and on the nodes. `quota` rejects the job's pods. Empty if no such jobs exist, if another job may take
/// what becomes free, or if it is unknown which pods the quotas count.
std::vector<Holder> enough_for_quota(const Facts& facts, const Json& quota,
                                     const std::vector<Shortfall>& shortfalls);

}  // namespace kml::job
