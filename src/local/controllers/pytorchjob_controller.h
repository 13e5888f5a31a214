#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "local/admission/admission.h"
#include "local/events/event_recorder.h"
#include "local/loop/work_queue.h"
#include "local/store/dependents.h"

namespace kml::local {

/// Runs kubeflow.org/v1 PyTorchJobs as the training operator does (training-operator v1.8,
/// pkg/controller.v1): each replica has one pod with a fixed name, which gets torch.distributed's environment
/// variables. The pods start either all together or not at all. A preempted pod is replaced, and this is not
/// a failure.
class PyTorchJobController {
 public:
  PyTorchJobController(EventLoop& loop, Store& store, const Dependents& dependents,
                       const Admission& admission, EventRecorder& events, const Clock& clock);

  void recover();

 private:
  struct Replica {
    std::string type;  ///< "Master" or "Worker"
    int index;
    ObjectPtr pod;  ///< the replica's pod; nullptr if it does not exist
  };

  void on_event(const StoreEvent& event);
  void look(const std::string& uid);
  void look_at(const Json& job);
  std::vector<Replica> replicas_of(const Json& job) const;
  void settle(Json& job, const std::vector<Replica>& replicas);
  void restart_or_fail(Json& job, const Replica& replica);
  void check_limits(Json& job, const std::vector<Replica>& replicas);
  void make_missing(Json& job, const std::vector<Replica>& replicas);
  void clean(const Json& job, const std::vector<Replica>& replicas);
  void suspend(Json& job, const std::vector<Replica>& replicas);
  void set_state(Json& job, std::string_view type, std::string message, std::string_view reason = {});
  void choose_port(Json& job);
  void save(const Json& job);

  Store& store_;
  const Dependents& dependents_;
  const Admission& admission_;  ///< checks the pods that this controller creates
  EventRecorder& events_;
  const Clock& clock_;
  WorkQueue queue_;
  std::unordered_map<std::string, std::pair<std::string, std::string>> names_;  ///< by uid
  /// earliest time of the next restart, by uid
  std::unordered_map<std::string, Time> not_before_;
};

}  // namespace kml::local
