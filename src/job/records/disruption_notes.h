#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kml/job/records/records.h"
#include "kml/job/views/disruption.h"

namespace kml::job {

/// Records the disruptions that a watch reports, because the events that name the preemptor expire, by
/// default after an hour.
class DisruptionNotes {
 public:
  DisruptionNotes(kube::Client& client, Submissions records)
      : client_(client), records_(std::move(records)) {}

  /// Call this for every change of the job's pods. Sends no requests, so a watch's callbacks can call it.
  void see(const Json& job, const Json& pod);

  /// Looks up the names of preemptors, and records the disruptions. The events with these names may arrive a
  /// little later than the pod's change, so call this after each wait. Returns the disruptions that are
  /// final. Ignores failures, because the watching command must continue.
  std::vector<Disruption> look_up();

 private:
  struct Open {
    Json job;
    Disruption disruption;
    http::SteadyTime until;      ///< when to stop waiting for the name
    http::SteadyTime next = {};  ///< when to look up the name again
  };

  void name_preemptor(Open& open);
  void record(const Open& open) const;

  kube::Client& client_;
  Submissions records_;
  std::map<std::string, Open> open_;  ///< the key is the pod's uid
  std::set<std::string> seen_;        ///< uids
};

}  // namespace kml::job
