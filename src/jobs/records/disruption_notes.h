#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kml/jobs/records/records.h"
#include "kml/jobs/views/disruption.h"

namespace kml::jobs {

/// Keeps in the run records what a watch sees the cluster do to the pods of jobs, as events that name the
/// preemptor are gone after an hour.
class DisruptionNotes {
 public:
  DisruptionNotes(kube::Client& client, RunRecords records) : client_(client), records_(std::move(records)) {}

  /// Of a pod of the job, as often as it is told of. Sends nothing: for a watch's callbacks.
  void see(const Json& job, const Json& pod);

  /// Asks for the names of preemptors, for which the events may come a little after the pod's change, and
  /// records what there is. To be called after each wait. Returns what is known as well as it will be. What
  /// fails is left out: whoever watches has something else to do.
  std::vector<Disruption> look_up();

 private:
  struct Open {
    Json job;
    Disruption disruption;
    http::SteadyTime until;      ///< when the name is given up
    http::SteadyTime next = {};  ///< when it is asked for again
  };

  void name_preemptor(Open& open);
  void record(const Open& open) const;

  kube::Client& client_;
  RunRecords records_;
  std::map<std::string, Open> open_;  ///< by the pod's uid
  std::set<std::string> seen_;        ///< uids
};

}  // namespace kml::jobs
