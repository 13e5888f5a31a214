#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::job {

/// The server's objects about a job. An empty member was not requested or could not be read.
struct Facts {
  const Json& job;
  std::span<const Json* const> pods = {};  ///< the job's pods
  bool is_task = false;  ///< the job stands for one task of an array, and `pods` has only the task's pods
  std::optional<int> rank = {};  ///< if `pods` are those of one task or rank: its number

  using Objects = std::optional<std::vector<Json>>;
  Objects events = {};            ///< events about the job, and those read about its pods and other objects
  Objects nodes = {};             ///< all nodes
  std::optional<Json> node = {};  ///< a node on which the job's pods run, or the only node
  Objects active_pods = {};       ///< pods in all namespaces, or in the job's; some may have ended
  Objects other_jobs = {};  ///< other jobs, if they were read: those that may start before this one, that it
                            ///< waits for, or that share its quota
  Objects slices = {};      ///< ResourceSlices: the devices of nodes
  Objects resource_claims = {};  ///< ResourceClaims of all namespaces
  Objects quotas = {};           ///< the namespace's ResourceQuotas
  Objects claims = {};      ///< existing PersistentVolumeClaims, at least those that the job's pods mount
  Objects priorities = {};  ///< PriorityClasses
  /// Kueue's Workloads: only the job's own, or also those that hold quota, and some of those that wait: see
  /// KeptWorkloads in reader.cc
  Objects workloads = {};
  /// besides the Workloads in `workloads`: how many wait before and behind the job's Workload in its
  /// LocalQueue
  size_t waiting_before = 0, waiting_behind = 0;
  /// false if the Workloads in other namespaces, which use the same quota, are unknown
  bool sees_all_workloads = true;
  bool has_kueue = true;  ///< false if the cluster certainly does not have Kueue's API
  std::optional<Json> local_queue = {}, cluster_queue = {};
  Objects cohort = {};         ///< the ClusterQueues of the job's cohort, including the job's own
  Objects local_queues = {};   ///< Kueue's LocalQueues in all namespaces
  Objects native_groups = {};  ///< PodGroups of scheduling.k8s.io with which the job's pods start
  Objects pod_groups = {};     ///< Volcano's PodGroups, in all namespaces or only in the job's
  std::optional<Json> volcano_queue = {};
  bool volcano_queue_is_missing = false;
  Time now = {};
};

/// Whether the pod belongs to the job.
bool is_own_pod(const Facts& facts, const Json& pod);

/// The object's newest event with any of these reasons; nullptr if there is none, or if it has expired.
const Json* newest_event(const Facts& facts, const Json& object, std::span<const std::string_view> reasons);

}  // namespace kml::job
