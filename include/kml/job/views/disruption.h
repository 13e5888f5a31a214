#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// How the cluster has disrupted a pod.
struct Disruption {
  std::string pod = {}, uid = {}, node = {};
  std::optional<Time> start = {};  ///< when the pod started
  Time time = {};                  ///< when the cluster decided to disrupt the pod
  std::string reason = {};  ///< the reason of DisruptionTarget: kPreempted, "EvictionByEvictionAPI", …
  /// the preempting job: "bert", or "lab/bert" if it is in another namespace; "" if unknown
  std::string by = {};
  std::string told = {};  ///< the message in the pod's status; often empty
};

inline constexpr std::string_view kPreempted = "PreemptionByScheduler";

/// Reads the condition of a pod that still exists. `by` is only known if the embedded server preempted the
/// pod.
std::optional<Disruption> disruption_of(const Json& pod);

/// The meaning of a DisruptionTarget reason: "its node was removed". Returns an unknown reason unchanged.
std::string disruption_in_words(const std::string& reason);

/// The disruption in words: "preempted by bert", "preempted by an unknown job", "stopped by the cluster: its
/// node was removed".
std::string in_words(const Disruption& disruption);

/// A preemption that an event of the scheduler reports.
struct ToldPreemption {
  Disruption disruption;  ///< without `by`
  /// the preempting pod or PodGroup: its namespace, name and uid, or only its uid and its node
  Json preemptor;
};

/// The preemptions in a namespace, or of one pod, that events still report. By default, events expire after
/// an hour. Empty if the user may not read events.
std::vector<ToldPreemption> told_preemptions(kube::Client& client, const std::string& namespace_name,
                                             const std::string& pod = {});

/// The job of the preempting pod or PodGroup: "gpt", or "lab/gpt" if the job is not in the namespace
/// `namespace_name`. "pod gpt-x7k2p" if the pod no longer exists, is not readable, or belongs to no job. ""
/// if the pod's name is not known either, or if the PodGroup cannot be read or has no job.
std::string preemptor_name(kube::Client& client, const std::string& namespace_name, const Json& preemptor);

/// A podFailurePolicy rule that ignores failures of pods that the cluster has disrupted.
Json disruption_is_no_failure();

Json to_json(const Disruption& disruption);
Disruption disruption_from_json(const Json& json);

}  // namespace kml::job
