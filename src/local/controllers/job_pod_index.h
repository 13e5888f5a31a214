#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// The pods of Jobs that are still relevant, by the job's uid. Without this index, each reconciliation of a
/// large array would visit all the ended pods of the job.
class JobPodIndex {
 public:
  /// A pod, with the facts about it that each reconciliation needs. Computing these each time for all pods of
  /// a large array would take most of the server's time.
  struct OpenPod {
    ObjectPtr pod;
    bool has_ended, is_terminating, is_ready;
  };

  explicit JobPodIndex(const Store& store) : store_(store) {}

  /// Call this for a pod that is new or has changed.
  void track(const ObjectPtr& pod);
  void forget(const Json& pod);
  void forget_job(const std::string& uid) { failed_.erase(uid); }

  /// The pods that have not ended, or that are not counted yet.
  std::vector<OpenPod> open(const std::string& job_uid) const;
  /// The failed pods of an Indexed Job that have this index and still exist.
  std::vector<ObjectPtr> failed(const Json& job, int index) const;

 private:
  const Store& store_;
  std::unordered_map<std::string, std::map<std::string, OpenPod>> open_;  ///< also by "namespace/name"
  /// the indexes and names of failed pods
  std::unordered_map<std::string, std::set<std::pair<int, std::string>>> failed_;
};

}  // namespace kml::local
