#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/why/room.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// The job (or the pod itself, where it is of none) that a pod is of, with the pod's priority and no amount.
Holder holder_of_pod(const Json& pod);

/// Who holds how much of a resource with these pods, summed up by job, who has most first.
std::vector<Holder> holders_of(const std::vector<const Json*>& pods, const std::string& resource);

/// "bert (ana, priority 10): 4 GPUs, gpt: 2 GPUs and 3 more".
std::string holders_text(const std::vector<Holder>& holders, const std::string& resource);

/// The command that takes them off: "kml cancel bert gpt". `namespace_name` is the asking job's own.
std::string command_to_free(const std::vector<Holder>& holders, const std::string& namespace_name);

/// Which jobs would have to go so that all these pods had room: one alone where one is enough, else several,
/// those of the lowest priority first. Empty where that is not enough either.
std::vector<Holder> enough_to_free(const std::vector<const Json*>& pod_specs, const std::vector<Room>& rooms,
                                   const std::string& resource);

/// The priority above which a pod could preempt enough; empty where no priority is enough.
std::optional<long long> priority_in_the_way(const std::vector<const Json*>& pod_specs,
                                             const std::vector<Room>& rooms);

}  // namespace kml::jobs
