#include "job/logs/arriving_jobs.h"

#include <utility>

#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

ArrivingJobs::ArrivingJobs(LogContext& context) : context_(context) {
  for (const Json& job : context.selection.jobs) seen_.insert(api::uid_of(job));
}

void ArrivingJobs::see(kube::Change change, const Json& job) {
  const std::string uid = api::uid_of(job);
  if (change == kube::Change::deleted) {
    std::erase_if(arrived_, [&](const Json& arrived) { return api::uid_of(arrived) == uid; });
    return;
  }
  if (seen_.insert(uid).second && !is_part_of_job(job)) arrived_.push_back(job);
}

/// wants() may send requests, which see() must not, because a watch calls it.
std::vector<Json> ArrivingJobs::take() {
  std::vector<Json> jobs = std::exchange(arrived_, {});
  std::erase_if(jobs, [this](const Json& job) { return !context_.selection.to_come->wants(job); });
  return jobs;
}

bool ArrivingJobs::ask_whether_over() {
  const JobsToCome& to_come = *context_.selection.to_come;
  const auto now = context_.client.transport().now();
  if (asked_ != http::SteadyTime{} && now - asked_ < to_come.pause) return false;
  asked_ = now;
  return to_come.is_over();
}

/// The watches may not have reported the last jobs yet, so the jobs are listed at the end.
bool ArrivingJobs::are_complete() {
  if (!is_complete_ && ask_whether_over()) {
    is_complete_ = true;
    const LogSelection& selection = context_.selection;
    for (const Json& job : list_jobs(context_.client, selection.namespace_name, selection.to_come->selector))
      see(kube::Change::added, job);
  }
  return is_complete_ && arrived_.empty();
}

}  // namespace kml::job
