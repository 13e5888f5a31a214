#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "job/records/disruption_notes.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/watch.h"

namespace kml::job {

/// Reports why a job waits, whenever the cause changes, and when it then runs.
class Narration {
 public:
  /// "bert waits: not enough GPUs free on 3 nodes"; empty if there is nothing new to say.
  std::string next(const JobView& job);
  /// Whether the last report was that the job waits.
  bool is_waiting() const { return !said_.empty(); }

 private:
  std::set<std::string> said_;  ///< causes reported since it last ran; back-off and its cause alternate
};

/// Keeps the pods of one job up to date and reports about them. Records disruptions by the cluster.
class PodNarration {
 public:
  PodNarration(kube::Client& client, const Json& job);
  /// Returns the next report, or an empty text. Sends requests if a pod was preempted.
  std::string next(const Json& job);

 private:
  DisruptionNotes disruptions_;
  std::deque<std::string> notes_;
  std::map<std::string, Json> pods_;  ///< by name
  Narration narration_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::job
