#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "job/logs/arriving_jobs.h"
#include "job/logs/container_log.h"
#include "job/logs/followed_job.h"
#include "job/logs/sources.h"
#include "job/records/disruption_notes.h"
#include "kml/base/json.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/kueue_check.h"
#include "kml/kube/client/watch.h"

namespace kml::job {

/// Follows jobs or pods. Has one watch for the jobs of each kind and namespace, one for the pods of each
/// namespace, and a ContainerLog for each container.
class LogFollower {
 public:
  LogFollower(kube::Client& client, const LogSelection& selection, LogSink& sink);

  /// Passes on pending events. Returns true once all jobs have ended and all their lines were passed on.
  /// Throws the Error that ends the command.
  bool advance();
  /// Reports to the sink which jobs are waiting, and which running jobs have long printed nothing, probably
  /// because Python buffers their output.
  void tell_waiting();

 private:
  struct FollowedPod {
    const FollowedJob* job = nullptr;
    std::vector<std::unique_ptr<ContainerLog>> logs;
    std::vector<std::string> containers;
  };

  void watch_jobs();
  void watch_kind(const api::ResourceKind& kind, const std::string& namespace_name,
                  const kube::WatchOptions& which);
  void watch_known_jobs();
  void watch_jobs_to_come();
  void watch_pods(const std::string& namespace_name, const std::string& selector);
  void on_job(kube::Change change, const Json& job);
  void find_deleted_jobs(const api::ResourceKind& kind, const std::string& namespace_name);
  void on_pod(kube::Change change, const Json& pod);
  void take_first_pods();
  std::vector<Json> pods_there(const FollowedJob& job);
  std::vector<Json> find_gone_pods(const FollowedJob& job);
  void add(Json arrived);
  void read_kept(const FollowedJob& job, LogSource source);
  FollowedJob* job_of(const Json& pod);
  bool has_jobless(const Json& pod);
  void forget_pod(FollowedJob& job, const std::string& uid);
  void tell_failed_pod(FollowedJob& job, const Json& pod);
  void tell_changes(FollowedJob& job, const JobView& view);
  bool all_read(const FollowedJob& job) const;
  void tell_silence(FollowedJob& job);
  void list_pods_once_more(FollowedJob& job);
  void end(FollowedJob& job);
  void tell_end(FollowedJob& job, const JobView& view);

  LogContext context_;
  Sources sources_;
  DisruptionNotes disruptions_;
  KueueCheck kueue_;
  Ownership ownership_;
  std::optional<ArrivingJobs> arriving_;
  std::map<std::string, FollowedJob> jobs_;  ///< the key consists of namespace and pods_key()
  std::map<std::string, FollowedPod> pods_;  ///< by uid
  /// uids by namespace and name, because the event for a deleted pod may name the pod without its uid
  std::map<std::string, std::string> pod_uids_;
  /// the pods in the first lists, which are collected until every pod watch has received its list
  std::vector<Json> first_pods_;
  std::vector<Json> pods_before_;  ///< pods that existed before the watches started
  size_t lists_to_come_ = 0;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

}  // namespace kml::job
