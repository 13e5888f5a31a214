#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::job {

/// The known facts about a job, from the server. An empty field was not requested or could not be read.
struct Facts {
  const Json& job;
  std::span<const Json* const> pods = {};  ///< the job's own pods

  using Objects = std::optional<std::vector<Json>>;
  Objects events = {};            ///< events of the job, its pods and its workload
  Objects nodes = {};             ///< all nodes
  std::optional<Json> node = {};  ///< a node that its pods run on, or the only node
  Objects active_pods = {};       ///< pods of all namespaces that have not ended, with their requests
  Objects other_jobs = {};        ///< whether it was read if they may come before this one
  Objects quotas = {};            ///< ResourceQuotas of the namespace
  Objects claims = {};            ///< existing PersistentVolumeClaims that its pods mount
  Objects priorities = {};        ///< PriorityClasses
  Objects workloads = {};         ///< Kueue's Workloads: the job's own, or all
  bool sees_all_workloads =
      true;               ///< false if those of other namespaces, which use the same quota, are unknown
  bool has_kueue = true;  ///< false if the cluster is known to lack the API
  std::optional<Json> local_queue = {}, cluster_queue = {};
  Objects local_queues = {};  ///< Kueue's LocalQueues of all namespaces
  Objects pod_groups = {};    ///< Volcano's PodGroups: of all namespaces, or of the job's
  std::optional<Json> volcano_queue = {};
  bool volcano_queue_is_missing = false;
  Time now = {};
};

/// Whether the pod is the job's own.
bool is_own_pod(const Facts& facts, const Json& pod);

/// The object's newest event with one of these reasons; nullptr if no such event exists, or if it has
/// expired.
const Json* newest_event(const Facts& facts, const Json& object, std::span<const std::string_view> reasons);

}  // namespace kml::job
