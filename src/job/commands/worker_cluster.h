#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/context.h"
#include "job/capacity/multikueue.h"
#include "kml/job/logs/logs.h"
#include "kml/job/views/interrupt.h"

namespace kml::cli {

/// If Kueue runs the job in another cluster (MultiKueue), makes that cluster the command's target, and
/// returns the job's copy there. Otherwise, and if the copy was deleted because the job has ended, returns
/// the job unchanged. Throws Error if none of the user's contexts leads to the copy.
Json enter_cluster_of(Context& context, Json job);

/// The jobs whose logs can be read together. A single job is followed to its cluster, as
/// enter_cluster_of() does. Of several jobs, leaves out those that run in other clusters, and prints their
/// names.
std::vector<Json> enter_clusters_of(Context& context, const std::vector<Json>& jobs);

/// The pods of a job that Kueue runs in another cluster, for a command that stops the job.
class PodsElsewhere {
 public:
  /// Finds the pods, before the job is stopped: afterwards, nothing names the cluster. Does nothing for a job
  /// that is not copied. `context` must outlive it.
  PodsElsewhere(Context& context, const Json& job);

  /// Waits until all of these pods have ended or are being deleted. If kml cannot reach the cluster, prints
  /// that it does not know whether they have stopped. Throws Error after a minute.
  void wait_until_stopped();

 private:
  bool any_runs();

  Context& context_;
  /// the client of the other cluster; null if the job has no copy there, or if kml cannot reach that cluster
  kube::Client* there_ = nullptr;
  Json copy_;
  std::set<std::string> pods_;  ///< uids
  std::string cluster_;         ///< the other cluster's name; empty if the job is not copied
  std::optional<Error> failure_;
};

/// A job whose logs are followed, and which Kueue may copy to one cluster after another.
class FollowedInClusters {
 public:
  /// Does nothing for a selection that is not a single job, or whose job is not copied to other clusters.
  /// `selection` must outlive it.
  FollowedInClusters(Context& context, job::LogSelection& selection);

  /// Waits until the job has been copied to a cluster, makes that cluster the command's target, and selects
  /// the copy. Selects the job itself if it has ended.
  void enter(const job::Interrupt& interrupt);
  /// Whether the copy was deleted although the job has not ended. The job then continues in another cluster.
  bool continues() const { return is_gone_; }

 private:
  std::optional<job::Dispatch> await_dispatch(const job::Interrupt& interrupt);
  std::optional<Json> status_after_deletion();

  Context& context_;
  job::LogSelection& selection_;
  kube::Client* home_ = nullptr;  ///< the client of the user's cluster
  Json job_;                      ///< the job in the user's cluster; null if this class does nothing
  bool is_gone_ = false;
};

}  // namespace kml::cli
