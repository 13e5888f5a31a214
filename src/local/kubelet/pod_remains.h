#pragma once

#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/base/json.h"
#include "local/loop/event_loop.h"
#include "local/shim/pod_plan.h"
#include "local/store/store.h"

namespace kml::local {

/// The folders of pods that have ended or were deleted. The logs of a pod are kept for as long as its owner
/// exists.
class PodRemains {
 public:
  /// `state` is the server's folder. `cgroups` are the places where pods may have created cgroups. Both must
  /// outlive this object.
  PodRemains(EventLoop& loop, const Store& store, const std::filesystem::path& state,
             const std::vector<CgroupRoot>& cgroups)
      : loop_(loop), store_(store), state_(state), cgroups_(cgroups) {}

  /// Call this when the pod has ended. Removes its volumes, because they may contain the values of secrets.
  void keep_only_logs(const Json& pod);
  /// Call this before the pod is removed from the store.
  void pod_is_gone(const Json& pod);
  /// Call this when the pods of that owner are no longer needed.
  void owner_is_gone(const std::string& uid);
  /// Finds the folders that an earlier server has left. `known` has the uids of the existing pods and of
  /// their owners.
  void recover(const std::set<std::string>& known);

 private:
  void keep(const std::string& owner, const std::filesystem::path& folder);
  void clean_folder(const std::filesystem::path& path);

  EventLoop& loop_;
  const Store& store_;
  const std::filesystem::path& state_;
  const std::vector<CgroupRoot>& cgroups_;
  /// The folders of deleted pods whose logs are kept, oldest first, by the owner's uid.
  std::unordered_map<std::string, std::deque<std::filesystem::path>> kept_;
};

}  // namespace kml::local
