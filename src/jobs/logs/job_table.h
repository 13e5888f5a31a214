#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "jobs/control/narration.h"
#include "kml/core/json.h"
#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

/// A job whose logs are followed, and its pods as last seen.
struct FollowedJob {
  Json job;
  std::map<std::string, Json> pods = {};  ///< by uid
  std::vector<Json> failed_pods = {};     ///< that are gone, as they were seen last
  bool deleted = false;
  bool changed = true;             ///< since it was told of last
  bool pods_complete = false;      ///< the pods were listed after the job's end
  bool reported = false;           ///< its end
  bool silence_is_judged = false;  ///< a line came, or why none did was looked for
  Narration narration = {};
  std::set<std::string> noted_pods = {};  ///< those whose failure was told, by uid

  JobView view() const;
};

}  // namespace kml::jobs
