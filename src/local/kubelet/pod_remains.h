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

/// The folders of pods that have ended or are gone: as long as a pod's owner exists, its logs are kept.
class PodRemains {
 public:
  /// `state` is the server's folder; `cgroups`, where pods may have made theirs. Both must outlive it.
  PodRemains(EventLoop& loop, const Store& store, const std::filesystem::path& state,
             const std::vector<CgroupRoot>& cgroups)
      : loop_(loop), store_(store), state_(state), cgroups_(cgroups) {}

  /// The pod has ended: removes its volumes, because they may contain secrets' values.
  void keep_only_logs(const Json& pod);
  /// The pod is about to be removed.
  void pod_is_gone(const Json& pod);
  /// No pod of that owner is needed any more.
  void owner_is_gone(const std::string& uid);
  /// Finds the folders that an earlier server left. `known` are the uids of the pods, and of their owners,
  /// that exist.
  void recover(const std::set<std::string>& known);

 private:
  void keep(const std::string& owner, const std::filesystem::path& folder);
  void clean_folder(const std::filesystem::path& path);

  EventLoop& loop_;
  const Store& store_;
  const std::filesystem::path& state_;
  const std::vector<CgroupRoot>& cgroups_;
  /// Folders of deleted pods whose logs are kept, oldest first, by the uid of the owner.
  std::unordered_map<std::string, std::deque<std::filesystem::path>> kept_;
};

}  // namespace kml::local
