#include "jobs/job_follower.h"

#include <utility>

#include "kml/jobs/kinds.h"
#include "kml/jobs/pod_view.h"

namespace kml::jobs {

namespace {

/// How long a log that broke off waits for its container's end before it is asked for again.
constexpr std::chrono::milliseconds kPauseBeforeResume{1000};

const api::ResourceKind& pod_kind() {
  return *api::find_kind("v1", "Pod");
}

}  // namespace

JobFollower::JobFollower(kube::Client& client, const Json& job, const TailOptions& options,
                         const TailHandler& handler)
    : client_(client),
      options_(options),
      handler_(handler),
      job_(job),
      name_(string_at(job, {"metadata", "name"})),
      namespace_(string_at(job, {"metadata", "namespace"})) {
  auto on_failure = [this](const Error& error) { failure_ = error; };
  job_watch_ = kube::watch(
      client_, client_.kind_of(job), namespace_, {"", "metadata.name=" + name_},
      {[this](kube::Change change, const Json& object) { on_job(change, object); }, [] {}, on_failure});
  pod_watch_ = kube::watch(client_, pod_kind(), namespace_, {pod_selector(job), ""},
                           {[this](kube::Change change, const Json& object) { on_pod(change, object); },
                            [this] { narrate(); }, on_failure});
}

JobView JobFollower::view() const {
  std::vector<const Json*> pods;
  for (const auto& [name, pod] : pods_) pods.push_back(&pod);
  JobView view = view_of_job(job_, pods);
  if (deleted_ && !has_ended(view.state)) {
    view.state = State::cancelled;
    view.cause = "deleted";
  }
  return view;
}

void JobFollower::on_job(kube::Change change, const Json& job) {
  if (string_at(job, {"metadata", "uid"}) != string_at(job_, {"metadata", "uid"})) return;
  deleted_ = change == kube::Change::deleted;
  if (!deleted_) job_ = job;  // what is told of a deleted one may be no more than its name
  narrate();
}

void JobFollower::on_pod(kube::Change change, const Json& told) {
  Json pod = told;
  if (change == kube::Change::deleted)
    if (auto known = pods_.find(string_at(told, {"metadata", "name"})); known != pods_.end())
      pod = known->second;
  if (!has_pod(job_, pod)) return;
  const std::string uid = string_at(pod, {"metadata", "uid"});
  for (const PodSource& place : pod_sources(pod, job_, options_.container)) {
    const std::string key = uid + "/" + place.container;
    auto found = sources_.find(key);
    if (found != sources_.end())
      found->second.place = place;
    else if (place.has_started && change != kube::Change::deleted)
      to_open_.push_back({key, place});
    if (change == kube::Change::deleted && found != sources_.end()) {
      found->second.place.has_ended = true;
      found->second.asked_after_end = true;  // nothing is left to ask
      if (!found->second.open) found->second.done = true;
    }
  }
  if (change == kube::Change::deleted)
    pods_.erase(string_at(pod, {"metadata", "name"}));
  else
    pods_[string_at(pod, {"metadata", "name"})] = pod;
  note_failed_pod(pod);
  narrate();
}

void JobFollower::open(const std::string& key, const PodSource& place) {
  Source& source = sources_[key];
  source.place = place;
  source.asked_after_end = place.has_ended;
  kube::LogOptions request{place.container,    true, options_.previous, true, options_.since_time,
                           options_.tail_lines};
  source.stream = kube::follow_log(client_, namespace_, place.pod, request,
                                   {[this, &source](std::string_view time, std::string_view line) {
                                      handler_.on_line({name_, source.place.label, time, line});
                                    },
                                    [this, &source] { closed(source, nullptr); },
                                    [this, &source](const Error& error) { closed(source, &error); }});
}

void JobFollower::closed(Source& source, const Error* failure) {
  source.open = false;
  source.closed_at = std::chrono::steady_clock::now();
  bool gone = failure && failure->http_status == 404;
  // A clean end of the stream does not tell that the container has ended: the connection may have been cut.
  if (gone || (!failure && source.asked_after_end)) source.done = true;
  if (failure && (failure->http_status == 401 || failure->http_status == 403)) failure_ = *failure;
}

bool JobFollower::advance() {
  if (failure_) throw *failure_;
  for (const auto& [key, place] : std::exchange(to_open_, {}))
    if (!sources_.contains(key)) open(key, place);
  auto now = std::chrono::steady_clock::now();
  bool all_done = true;
  for (auto& [key, source] : sources_) {
    if (!source.done && !source.open &&
        (source.place.has_ended ? !source.asked_after_end : now - source.closed_at > kPauseBeforeResume)) {
      source.asked_after_end = source.place.has_ended;
      source.open = true;
      source.stream->resume();
    }
    if (!source.done && !source.open && source.asked_after_end && now - source.closed_at > kPauseBeforeResume)
      source.done = true;  // the last answer was an error: there is no more to have
    if (source.done) source.stream->finish();
    all_done = all_done && source.done;
  }
  if (!has_ended(view().state)) return false;
  if (!pods_complete_) {
    read_pods_once_more();
    return false;
  }
  return all_done;
}

/// The two watches are not in step: a pod's last states may come after the job's.
void JobFollower::read_pods_once_more() {
  pods_complete_ = true;
  for (const Json& pod : client_.list(pod_kind(), namespace_, {pod_selector(job_), {}}).items)
    on_pod(kube::Change::modified, pod);
}

void JobFollower::narrate() {
  JobView now = view();
  bool waits = now.state == State::waiting || now.state == State::suspended;
  if (!waits) {
    last_note_.clear();
    return;
  }
  std::string note = name_ + (now.state == State::waiting ? " waits" : " is suspended") +
                     (now.cause.empty() ? "" : ": " + now.cause);
  if (note == last_note_ || now.cause.empty() || now.cause == "starting") return;
  last_note_ = note;
  handler_.on_note(note);
}

void JobFollower::note_failed_pod(const Json& pod) {
  PodView pod_view = view_of_pod(pod);
  bool preempted = condition_is_true(pod, "DisruptionTarget");
  if ((pod_view.phase != "Failed" && !preempted) || has_ended(state_of(job_, false))) return;
  bool& noted = noted_pods_[string_at(pod, {"metadata", "uid"})];
  if (noted) return;
  noted = true;
  handler_.on_note("pod " + pod_view.name + (preempted ? " was stopped" : " failed") +
                   (pod_view.cause.empty() ? "" : ": " + pod_view.cause));
}

}  // namespace kml::jobs
