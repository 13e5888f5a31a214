#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "local/events/event_recorder.h"
#include "local/loop/work_queue.h"
#include "local/scheduling/scheduler.h"

namespace kml::local {

/// Carries out the Scheduler's decisions: binds pods to the node, assigns GPUs, records why other pods wait,
/// and deletes preempted pods.
class Binder {
 public:
  Binder(EventLoop& loop, Store& store, EventRecorder& events, const Clock& clock, std::string node_name);

  /// Reads the existing pods from the store.
  void recover();

 private:
  void on_event(const StoreEvent& event);
  void see_pod(const Json& pod, bool deleted);
  void see_node(const Json& node);
  /// Checks again the pods of a PodGroup that was created, changed or deleted.
  void see_pods_of(const Json& pod_group);
  /// Writes into the pod's PodGroup whether its pods have started.
  void tell_group(const Json& pod, bool is_scheduled, const std::string& reason, const std::string& message);
  /// The pod with this uid; nullptr if it no longer exists.
  ObjectPtr pod_of(const std::string& uid) const;
  void schedule();
  /// Whether the pod with this uid will end soon, although it is not being deleted yet.
  bool is_ending(const std::string& uid) const;
  void bind(const Json& pod);
  void preempt(const Json& victim, const Json& preemptor);
  void refuse(const Json& pod, const std::string& message);
  WaitingOrder order_of(const Json& pod);
  /// Empty if the pod has to wait for its PodGroup.
  std::optional<PodRequest> request_of(const Json& pod);

  Store& store_;
  EventRecorder& events_;
  const Clock& clock_;
  std::string node_name_;
  Scheduler scheduler_;
  WorkQueue queue_;
  std::unordered_map<std::string, std::pair<std::string, std::string>> names_;  ///< by uid
  std::map<std::string, std::set<int>> gpus_;  ///< the GPU slots of each pod, by the pod's uid
  int64_t gpu_count_ = 0;
  uint64_t arrivals_ = 0;
};

}  // namespace kml::local
