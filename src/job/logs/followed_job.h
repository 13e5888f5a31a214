#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "job/control/narration.h"
#include "kml/base/json.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// A job whose logs are followed, with its pods as last seen.
struct FollowedJob {
  Json job;
  std::map<std::string, Json> pods = {};  ///< by uid
  std::vector<Json> failed_pods =
      {};  ///< deleted pods that had failed, as last seen; after the job's end, all failed pods
  bool deleted = false;
  bool listed = false;         ///< whether the first list of jobs, or a change, had the job
  bool changed = true;         ///< whether the job has changed since the last report
  bool pods_complete = false;  ///< whether the pods were listed after the job's end
  bool reported = false;       ///< whether the job's end was reported
  /// whether a line has arrived, or the cause of the silence was already checked
  bool silence_is_judged = false;
  Narration narration = {};
  std::set<std::string> noted_pods = {};  ///< uids of the pods whose failures were reported

  JobView view() const;
};

}  // namespace kml::job
