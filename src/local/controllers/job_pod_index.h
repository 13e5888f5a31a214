#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// The pods of Jobs that still matter, by the job's uid. Without it, each reconciliation of a large array
/// would visit all the ended pods of the job.
class JobPodIndex {
 public:
  /// A pod, and the facts about it that each reconciliation needs: finding them again in the pods of a large
  /// array would take most of the server's time.
  struct OpenPod {
    ObjectPtr pod;
    bool has_ended, is_terminating, is_ready;
  };

  explicit JobPodIndex(const Store& store) : store_(store) {}

  /// The pod is new, or has changed.
  void track(const ObjectPtr& pod);
  void forget(const Json& pod);
  void forget_job(const std::string& uid) { failed_.erase(uid); }

  /// The pods that are running or not yet counted.
  std::vector<OpenPod> open(const std::string& job_uid) const;
  /// The failed pods of that index of an Indexed Job that still exist.
  std::vector<ObjectPtr> failed(const Json& job, int index) const;

 private:
  const Store& store_;
  std::unordered_map<std::string, std::map<std::string, OpenPod>> open_;  ///< also by "namespace/name"
  std::unordered_map<std::string, std::set<std::pair<int, std::string>>> failed_;  ///< indexes and names
};

}  // namespace kml::local
