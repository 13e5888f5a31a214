#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "local/events/event_recorder.h"
#include "local/kubelet/pod_planner.h"
#include "local/kubelet/pod_remains.h"
#include "local/kubelet/shim_process.h"
#include "local/loop/folder_watch.h"
#include "local/loop/work_queue.h"

namespace kml::local {

/// The kubelet's part in the life of a pod: starts the pods that are bound to the node, updates their status,
/// ends pods that were deleted or reached their deadline, and removes deleted pods once they have ended. Its
/// state can be completely rebuilt from the store and the pods' folders.
class Supervisor {
 public:
  /// Starts each shim as `binary shim FOLDER`.
  Supervisor(EventLoop& loop, Store& store, EventRecorder& events, const Clock& clock, PlanContext context,
             std::filesystem::path binary);

  /// Finds the pods that an earlier server has started.
  void recover();

 private:
  struct Running {
    std::string key;
    PodFolder folder;
    std::optional<ShimProcess> shim = {};
    double stop_grace = -1;  ///< the grace period in the last stop order; -1 if there was none
    std::string stop_reason = {};
    bool shim_ended_well = false;
    /// Whether processes that the shim left show that it has run. The pod's program can remove the files that
    /// would show this.
    bool has_begun = false;
    std::string unhealthy = {};  ///< the text of the last event about a failed probe
    /// how often the claim was checked while something other than the pod's shim had locked it
    int looks = 0;

    /// Why the pod was ordered to stop. After a restart of the server, this is read from the pod's folder.
    std::optional<std::string> given_reason() const;
  };

  void on_event(const StoreEvent& event);
  void look_at(const Json& pod);
  void look(const std::string& key);
  void start(const Json& pod);
  void end_unstarted(const Json& pod);
  void follow(const std::string& uid, ShimProcess shim);
  bool end_leftovers(const std::string& uid, Running& running, const Claim& claim);
  std::optional<std::string> why_stopped(const Json& pod, const Running& running) const;
  void stop(const Json& pod, Running& running, const StopOrder& order);
  void end_stopped_shim(const std::string& uid);
  StopOrder deletion_order(const Json& pod, const Running& running) const;
  void check_deadline(const Json& pod, Running& running);
  void shim_ended(const std::string& uid);
  void take_status(const std::string& uid);
  void remove_ended(const Json& pod);
  void forget(const std::string& uid);

  EventLoop& loop_;
  Store& store_;
  EventRecorder& events_;
  const Clock& clock_;
  PlanContext context_;
  std::filesystem::path binary_;
  PodRemains remains_;
  WorkQueue queue_;
  /// The uids of pods whose status has changed, and of pods whose shims have ended. If the disk is full, the
  /// shim or the pod's folder keeps the status, and the server reads it again later.
  WorkQueue news_, ends_;
  WorkQueue overdue_;  ///< the uids of pods whose grace period has passed
  FolderWatch watch_;
  std::unordered_map<std::string, Running> running_;  ///< by uid
};

}  // namespace kml::local
