#include "jobs/logs/job_table.h"

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

std::string FollowedJob::waiting_note(const JobView& view) const {
  const bool waits = view.state == State::waiting || view.state == State::suspended;
  if (!waits || view.cause.empty() || view.cause == "starting") return {};
  return view.name + (view.state == State::waiting ? " waits: " : " is suspended: ") + view.cause;
}

}  // namespace kml::jobs
