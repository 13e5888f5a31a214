#pragma once

#include <string>
#include <vector>

#include "local/admission/admission.h"
#include "local/events/event_recorder.h"
#include "local/loop/work_queue.h"
#include "local/store/dependents.h"

namespace kml::local {

/// Keeps as many pods running as each apps/v1 ReplicaSet wants, and maintains its status, as
/// kube-controller-manager does.
class ReplicaSetController {
 public:
  ReplicaSetController(EventLoop& loop, Store& store, const Dependents& dependents,
                       const Admission& admission, EventRecorder& events, const Clock& clock);
  void recover();

 private:
  void on_event(const StoreEvent& event);
  void look(const std::string& key);
  /// Returns why a pod could not be created; empty if all pods were created.
  std::string make_pods(const Json& set, long long count);
  void delete_pods(const Json& set, std::vector<ObjectPtr> pods, long long count);
  void save_status(const Json& set, const std::vector<ObjectPtr>& pods, const std::string& failure);

  Store& store_;
  const Dependents& dependents_;
  const Admission& admission_;  ///< checks the pods that this controller creates
  EventRecorder& events_;
  const Clock& clock_;
  WorkQueue queue_;  ///< "NAMESPACE/NAME"
};

/// Whether the first pod is deleted before the second when a ReplicaSet shrinks. The less useful pod is
/// deleted first, by the rules of ActivePodsWithRanks in pkg/controller/controller_utils.go. On a single
/// node, all ranks are equal.
bool is_deleted_first(const Json& a, const Json& b);

}  // namespace kml::local
