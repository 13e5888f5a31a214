#include "job/control/narration.h"

#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

std::string Narration::next(const JobView& job) {
  if (job.state == State::cancelling && !job.cause.empty()) {
    std::string note = job.name + " is being cancelled: " + job.cause;
    return said_.insert(note).second ? note : "";
  }
  if (job.state == State::unknown) {
    std::string note =
        "the state of " + job.name + " is unknown" + (job.cause.empty() ? "" : ": ") + job.cause;
    return said_.insert(note).second ? note : "";
  }
  if (job.state != State::waiting && job.state != State::suspended) {
    const bool began = job.state == State::running && !said_.empty();
    said_.clear();
    return began ? job.name + " runs" : "";
  }
  const Time now = system_clock().now();
  if (job.lacks_pods(now)) {
    std::string note = job.name + " waits: " + job.cause_at(now);
    return said_.insert(note).second ? note : "";
  }
  // A failing job has no attempts left, so it does not wait: it is about to end.
  if (job.cause.empty() || job.cause == "starting" || job.cause_code == CauseCode::failing) return {};
  std::string note = job.name + (job.state == State::waiting ? " waits: " : " is suspended: ") + job.cause;
  return said_.insert(note).second ? note : "";
}

PodNarration::PodNarration(kube::Client& client, const Json& job)
    : disruptions_(client, Submissions::of_user()), kueue_(client) {
  kube::WatchHandler handler;
  handler.on_change = [this, job](kube::Change change, const Json& pod) {
    if (change == kube::Change::deleted)
      pods_.erase(api::name_of(pod));
    else if (has_pod(job, pod)) {
      pods_[api::name_of(pod)] = pod;
      disruptions_.see(job, pod);
    }
  };
  handler.on_synced = [] {};
  handler.on_failure = [](const Error&) {};  // without access to pods, waiting for jobs still works
  watch_ = kube::watch(client, *api::find_kind("v1", "Pod"), api::namespace_of(job), {pod_selector(job), ""},
                       std::move(handler));
}

std::string PodNarration::next(const Json& job) {
  for (const Disruption& disruption : disruptions_.look_up())
    notes_.push_back("pod " + disruption.pod + " was " + in_words(disruption));
  if (!notes_.empty()) {
    std::string note = std::move(notes_.front());
    notes_.pop_front();
    return note;
  }
  std::vector<const Json*> pods;
  for (const auto& [name, pod] : pods_) pods.push_back(&pod);
  JobView view = view_of_job(job, pods);
  kueue_.correct(job, view);
  return narration_.next(view);
}

}  // namespace kml::job
