#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "job/records/disruption_notes.h"
#include "kml/job/views/job_view.h"
#include "kml/job/why/kueue_check.h"
#include "kml/kube/client/watch.h"

namespace kml::job {

/// Reports why a job waits whenever the cause changes, and reports when the job runs.
class Narration {
 public:
  /// The next report, such as "bert waits: not enough GPUs free on 3 nodes"; empty if nothing is new.
  std::string next(const JobView& job);
  /// Whether the last report was about waiting.
  bool is_waiting() const { return !said_.empty(); }

 private:
  /// the causes that were reported since the job last ran. They are not reported again, because a back-off
  /// and its cause may alternate many times
  std::set<std::string> said_;
};

/// Keeps the pods of one job up to date and reports about them. Also records when the cluster disrupts a pod.
class PodNarration {
 public:
  PodNarration(kube::Client& client, const Json& job);
  /// The next report; empty if there is none. Sends requests if a pod was preempted, or if the job waits in a
  /// queue.
  std::string next(const Json& job);

 private:
  DisruptionNotes disruptions_;
  KueueCheck kueue_;
  std::deque<std::string> notes_;
  std::map<std::string, Json> pods_;  ///< by name
  Narration narration_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::job
