#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/job/submit/submit.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Makes a PodGroup (scheduling.k8s.io) for each job that is a gang because of --nodes, so that the scheduler
/// starts all of the job's pods or none. Sends a dry run of the first PodGroup, and no request if no job is a
/// gang.
class Gangs {
 public:
  /// `client` must outlive it.
  Gangs(kube::Client& client, std::string submit_id) : client_(client), submit_id_(std::move(submit_id)) {}

  /// If the job is a gang without a PodGroup, makes its pods refer to one, and returns that PodGroup, which
  /// must be created before the job. Empty if it needs none, or if kml can create no PodGroups in the
  /// cluster. Throws Error if the server does not answer, or fails.
  std::optional<Json> group_for(Json& job);
  /// Creates the PodGroup of group_for(), unless it exists.
  void create_group(const Json& group);
  /// Deletes the PodGroup of a job that was not created, if it has one. Ignores failures.
  void remove_group(const Json& job) noexcept;
  /// Makes the job the owner of its PodGroup, so that both are deleted together. Does nothing for a job
  /// without a PodGroup.
  void hand_over(const Json& job);
  /// Why kml can create no PodGroups in the cluster; empty if it can, or if the reason was reported in the
  /// last ten minutes.
  const std::string& refusal() const { return told_; }

 private:
  kube::Client& client_;
  const std::string submit_id_;
  std::optional<bool> are_served_;
  std::string told_;
};

/// The resource of PodGroups, in the form of an engine's rights.
inline constexpr const char* kPodGroups = "scheduling.k8s.io/podgroups";

/// Whether an engine that creates jobs like these needs the right to create PodGroups: one of the jobs is a
/// gang, and the user can create PodGroups in the cluster. If the user cannot, adds the same note as
/// use_gangs(). `namespace_name` is the namespace of the jobs.
bool needs_pod_groups(kube::Client& client, const std::vector<Json>& jobs, const std::string& namespace_name,
                      std::vector<std::string>& notes);

/// Whether group_for() may make a PodGroup for the job.
bool may_get_group(const Json& job);

/// Removes the PodGroups that kml made for these jobs from the jobs and from the list, so that the jobs can
/// be submitted again.
void forget_groups(std::vector<Json>& objects);

/// Adds the PodGroups of a submit's gangs to its belongings. If kml can create no PodGroups in the cluster,
/// adds a note with Gangs::refusal(). The embedded server needs no PodGroups for such
/// jobs, and Kueue's jobs are admitted as a whole.
void use_gangs(kube::Client& client, SubmitPlan& plan, bool is_local);

}  // namespace kml::job
