#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "jobs/records/disruption_notes.h"
#include "kml/jobs/views/job_view.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

/// Says why a job waits, each time that the cause is a new one, and that it runs then.
class Narration {
 public:
  /// "bert waits: not enough GPUs free on 3 nodes"; empty if there is nothing new to say.
  std::string next(const JobView& job);
  /// Whether it was last said to wait.
  bool is_waiting() const { return !said_.empty(); }

 private:
  std::set<std::string>
      said_;  ///< since it last ran: a kubelet's back-off alternates with what it backs off from
};

/// The pods of one job, kept up to date, and what there is to say about them. What the cluster does to them
/// is recorded.
class PodNarration {
 public:
  PodNarration(kube::Client& client, const Json& job);
  /// Sends requests where a pod was preempted.
  std::string next(const Json& job);

 private:
  DisruptionNotes disruptions_;
  std::deque<std::string> notes_;
  std::map<std::string, Json> pods_;  ///< by name
  Narration narration_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::jobs
