#pragma once

#include <string>

#include "local/controllers/deployment_plan.h"
#include "local/events/event_recorder.h"
#include "local/loop/work_queue.h"
#include "local/store/dependents.h"

namespace kml::local {

/// Rolls out apps/v1 Deployments as kube-controller-manager does. Each pod template has a ReplicaSet, which
/// is scaled up or down step by step as pods become available. The functions in deployment_plan.h decide;
/// this class acts.
class DeploymentController {
 public:
  DeploymentController(EventLoop& loop, Store& store, const Dependents& dependents, EventRecorder& events,
                       const Clock& clock);
  void recover();

 private:
  void on_event(const StoreEvent& event);
  void look(const std::string& key);
  void note_pause(Json& deployment);
  ReplicaSets replica_sets(const Json& deployment);
  void take_step(Json& deployment, ReplicaSets& sets);
  void recreate(Json& deployment, ReplicaSets& sets);
  void make_current(Json& deployment, ReplicaSets& sets);
  void give_revision(Json& deployment, ReplicaSets& sets);
  void scale(const Json& deployment, const Scaling& step);
  void note_progress(Json& deployment, const char* value, const char* reason, const std::string& message);
  void remove_history(const Json& deployment, const ReplicaSets& sets);
  void save_status(const Json& deployment, const ReplicaSets& sets);

  Store& store_;
  const Dependents& dependents_;
  EventRecorder& events_;
  const Clock& clock_;
  WorkQueue queue_;  ///< "NAMESPACE/NAME"
};

}  // namespace kml::local
