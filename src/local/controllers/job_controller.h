#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "local/admission/admission.h"
#include "local/controllers/job_pod_index.h"
#include "local/events/event_recorder.h"
#include "local/loop/work_queue.h"
#include "local/store/store.h"

namespace kml::local {

/// Runs batch/v1 Jobs as kube-controller-manager does: creates pods until enough have succeeded or too many
/// have failed, and maintains the status. Each ended pod is counted exactly once, even if the server is
/// killed: the controller first adds the pod's uid to status.uncountedTerminatedPods, then removes the pod's
/// finalizer, and then increments the counter.
class JobController {
 public:
  struct Settings {
    /// The delay before a failed pod is replaced. It doubles after each further failure, up to ten minutes.
    /// With backoffLimitPerIndex, only the failures of an index itself delay this index.
    std::chrono::nanoseconds retry_delay = std::chrono::seconds(10);
  };

  JobController(EventLoop& loop, Store& store, const Admission& admission, EventRecorder& events,
                const Clock& clock, Settings settings);

  void recover();

 private:
  struct Pods;
  struct Failures {
    int in_a_row = 0;
    Time last{};
  };

  void on_event(const StoreEvent& event);
  void look(const std::string& uid);
  void look_at(const Json& job);
  void release_orphans(const std::string& uid);
  void account(Json& job, Pods& pods);
  void note_end(Json& job, const Json& pod);
  void decide(Json& job, const Pods& pods);
  void wind_up(Json& job, Pods& pods);
  void suspend_or_resume(Json& job, Pods& pods);
  void end_waiting_pods(Pods& pods);
  std::chrono::nanoseconds delay_left(const Json& job, int index) const;
  void manage_pods(Json& job, Pods& pods);
  void choose_port(Json& job);
  void make_pods(const Json& job, int count, const std::set<int>& taken);
  void make_indexed_pods(const Json& job, int count, const std::set<int>& taken);
  void make_pod(const Json& job, int index);
  void delete_pods(std::vector<ObjectPtr>& active, size_t count, const std::string& reason);
  void save(Json& job);

  Store& store_;
  const Admission& admission_;  ///< checks the pods that this controller creates
  EventRecorder& events_;
  const Clock& clock_;
  Settings settings_;
  WorkQueue queue_;
  std::unordered_map<std::string, std::pair<std::string, std::string>> names_;  ///< by uid
  JobPodIndex pods_;
  /// The key is the Job's uid and, with backoffLimitPerIndex, the completion index, otherwise -1.
  std::map<std::pair<std::string, int>, Failures> failures_;
};

}  // namespace kml::local
