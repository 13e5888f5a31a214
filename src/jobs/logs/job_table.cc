#include "jobs/logs/job_table.h"
#include "kml/jobs/why/explained_view.h"

namespace kml::jobs {

JobView FollowedJob::view() const {
  std::vector<const Json*> all;
  for (const auto& [uid, pod] : pods) all.push_back(&pod);
  JobView view = view_of_job(job, all);
  if (deleted && !has_ended(view.state)) {
    view.state = State::cancelled;
    view.cause = "deleted";
  }
  return view;
}

}  // namespace kml::jobs
