#include "job/logs/followed_job.h"

#include "job/views/never_ran.h"
#include "kml/job/why/why.h"

namespace kml::job {

JobView FollowedJob::view() const {
  std::vector<const Json*> all;
  for (const auto& [uid, pod] : pods) all.push_back(&pod);
  JobView view = view_of_job(job, all);
  if (deleted && !has_ended(view.state)) {
    view.state = State::cancelled;
    view.cause = pods.empty() ? deletion_in_words(job) : "deleted";
  }
  return view;
}

}  // namespace kml::job
