#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A pod that the cluster took away from its job.
struct Disruption {
  std::string pod = {}, uid = {}, node = {};
  std::optional<Time> start = {};  ///< of the pod
  Time time = {};                  ///< when the cluster decided so
  std::string reason = {};  ///< of the condition DisruptionTarget: kPreempted, "EvictionByEvictionAPI", …
  std::string by = {};      ///< who preempted it: a job ("lab/bert" in another namespace); "" where unknown
};

inline constexpr std::string_view kPreempted = "PreemptionByScheduler";

/// What the pod's own condition says, while the pod is there. Only the embedded server names a preemptor
/// there.
std::optional<Disruption> disruption_of(const Json& pod);

/// "preempted by bert", "preempted, by: unknown", "stopped by the cluster: EvictionByEvictionAPI"
std::string in_words(const Disruption& disruption);

/// A preemption as the scheduler's event tells it.
struct ToldPreemption {
  Disruption disruption;  ///< without `by`
  Json preemptor;         ///< reference to its pod: namespace, name, uid
};

/// Those in a namespace, or of one pod, that events still tell of (an hour, by default). None where events
/// may not be read.
std::vector<ToldPreemption> told_preemptions(kube::Client& client, const std::string& namespace_name,
                                             const std::string& pod = {});

/// The job of the preemptor's pod, as somebody in `namespace_name` calls it: "gpt", or "lab/gpt" in another
/// one; "pod gpt-x7k2p" where the pod is gone, may not be read, or is of no job.
std::string preemptor_name(kube::Client& client, const std::string& namespace_name, const Json& preemptor);

/// The rule of a podFailurePolicy by which a pod that the cluster took away counts as no failure.
Json disruption_is_no_failure();

Json to_json(const Disruption& disruption);
Disruption disruption_from_json(const Json& json);

}  // namespace kml::jobs
