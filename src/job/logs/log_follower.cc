#include "job/logs/log_follower.h"

#include <utility>

#include "job/logs/container_state.h"
#include "job/logs/kept_lines.h"
#include "job/logs/open_files.h"
#include "job/logs/sources.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The maximum number of names in a label selector, because the selector must fit into a URL.
constexpr size_t kMostSelected = 100;
constexpr std::chrono::seconds kLongSilence{30};

const api::ResourceKind& pod_kind() {
  return *api::find_kind("v1", "Pod");
}

/// A single label selector for the pods of several jobs ("job-name in (a,b)"); empty if no selector covers
/// them all.
std::string common_selector(const std::vector<const Json*>& jobs) {
  if (jobs.size() == 1) return pod_selector(*jobs[0]);
  std::string label, names;
  for (const Json* job : jobs) {
    const std::vector<std::string> parts = split(pod_selector(*job), '=');
    if (!label.empty() && parts[0] != label) return {};
    label = parts[0];
    names += (names.empty() ? "" : ",") + parts[1];
  }
  return jobs.size() > kMostSelected ? "" : label + " in (" + names + ")";
}

}  // namespace

LogFollower::LogFollower(kube::Client& client, const LogSelection& selection, LogSink& sink)
    : context_{client, selection, sink},
      sources_(selection),
      disruptions_(client, Submissions::of_user()),
      kueue_(client) {
  if (selection.jobs.empty() && !selection.to_come) {
    lists_to_come_ = 1;
    watch_pods(selection.namespace_name, selection.pod_selector);
    return;
  }
  for (const Json& job : selection.jobs) jobs_[api::namespace_of(job) + "/" + pods_key(job)] = {job};
  for (auto& [key, job] : jobs_) {
    std::vector<Json> pods = find_gone_pods(job);
    std::move(pods.begin(), pods.end(), std::back_inserter(pods_before_));
  }
  if (selection.to_come)
    watch_jobs_to_come();
  else
    watch_known_jobs();
}

void LogFollower::watch_known_jobs() {
  watch_jobs();
  std::map<std::string, std::vector<const Json*>> by_namespace;
  for (const auto& [key, job] : jobs_) by_namespace[api::namespace_of(job.job)].push_back(&job.job);
  lists_to_come_ = by_namespace.size();
  for (const auto& [name, jobs] : by_namespace) watch_pods(name, common_selector(jobs));
}

void LogFollower::watch_jobs() {
  std::map<std::pair<const api::ResourceKind*, std::string>, std::vector<std::string>> collections;
  for (const auto& [key, job] : jobs_)
    collections[{&context_.client.kind_of(job.job), api::namespace_of(job.job)}].push_back(
        api::name_of(job.job));
  for (const auto& [collection, names] : collections)
    watch_kind(*collection.first, collection.second,
               {"", names.size() == 1 ? "metadata.name=" + names[0] : ""});
}

void LogFollower::watch_kind(const api::ResourceKind& kind, const std::string& namespace_name,
                             const kube::WatchOptions& which) {
  watches_.push_back(kube::watch(context_.client, kind, namespace_name, which,
                                 {[this](kube::Change change, const Json& job) { on_job(change, job); },
                                  [this, &kind, namespace_name] { find_deleted_jobs(kind, namespace_name); },
                                  [this, &kind, namespace_name](const Error& error) {
                                    const bool is_optional = arriving_.has_value();
                                    if (!is_optional ||
                                        !take_absence(context_.client, kind, namespace_name, error))
                                      context_.failure = error;
                                  }}));
}

/// The kinds of the jobs to come are unknown, so all kinds are watched.
void LogFollower::watch_jobs_to_come() {
  const LogSelection& selection = context_.selection;
  arriving_.emplace(context_);
  for (const api::ResourceKind* kind : kinds_to_ask(context_.client, selection.namespace_name))
    watch_kind(*kind, selection.namespace_name, {selection.to_come->selector, ""});
  lists_to_come_ = 1;
  watch_pods(selection.namespace_name, selection.to_come->selector);
}

void LogFollower::watch_pods(const std::string& namespace_name, const std::string& selector) {
  watches_.push_back(kube::watch(context_.client, pod_kind(), namespace_name, {selector, ""},
                                 {[this](kube::Change change, const Json& pod) {
                                    if (lists_to_come_ == 0)
                                      on_pod(change, pod);
                                    else if (change != kube::Change::deleted)
                                      first_pods_.push_back(pod);
                                  },
                                  [this] {
                                    if (--lists_to_come_ == 0) take_first_pods();
                                  },
                                  [this](const Error& error) { context_.failure = error; }}));
}

std::vector<Json> LogFollower::pods_there(const FollowedJob& job) {
  const kube::ListOptions options{.label_selector = pod_selector(job.job)};
  std::vector<Json> pods = context_.client.list(pod_kind(), api::namespace_of(job.job), options).items;
  std::erase_if(pods, [&](const Json& pod) { return job_of(pod) != &job; });
  return pods;
}

/// Finds deleted pods of earlier attempts, and returns the other pods, because the operator of a failed job
/// may be about to remove them.
std::vector<Json> LogFollower::find_gone_pods(const FollowedJob& job) {
  if (!context_.selection.gone_pods || context_.selection.previous) return {};
  std::vector<Json> pods = pods_there(job);
  for (LogSource& source : gone_sources(context_.client, job.job, pods, sources_))
    read_kept(job, std::move(source));
  return pods;
}

/// Follows a job that was created after the following began. Its first pods may have arrived before it, and
/// were not known to be its pods.
void LogFollower::add(Json arrived) {
  FollowedJob& job = jobs_[api::namespace_of(arrived) + "/" + pods_key(arrived)];
  job = {.job = std::move(arrived), .listed = true};
  find_gone_pods(job);
  std::vector<Json> pods = pods_there(job);
  sort_by_age(pods);
  for (const Json& pod : pods) on_pod(kube::Change::added, pod);
}

void LogFollower::read_kept(const FollowedJob& job, LogSource source) {
  FollowedPod& pod = pods_[source.pod_uid];
  pod.job = &job;
  pod.containers.push_back(source.container);
  pod.logs.push_back(std::make_unique<ContainerLog>(context_, std::move(source)));
  pod.logs.back()->read_kept();
}

/// Handles the first pods in the order of their creation, so that attempts are numbered correctly.
void LogFollower::take_first_pods() {
  std::vector<Json> pods = std::exchange(first_pods_, {});
  sort_by_age(pods);
  std::set<std::string> present;
  for (const Json& pod : pods) present.insert(api::uid_of(pod));
  for (const Json& pod : std::exchange(pods_before_, {}))
    if (FollowedJob* job = present.contains(api::uid_of(pod)) ? nullptr : job_of(pod))
      for (LogSource& source : sources_.of(pod, &job->job)) read_kept(*job, std::move(source));
  for (const Json& pod : pods) on_pod(kube::Change::added, pod);
  // an ended job may have no pods, so all jobs are checked
  for (auto& [key, job] : jobs_) job.changed = true;
  context_.begun = true;
  if (!context_.failure) try {
      sources_.check_container();
    } catch (const Error& error) {
      context_.failure = error;
    }
}

void LogFollower::on_job(kube::Change change, const Json& told) {
  if (arriving_) arriving_->see(change, told);
  for (auto& [key, job] : jobs_) {
    if (api::uid_of(told) != api::uid_of(job.job)) continue;
    job.listed = true;
    job.deleted = change == kube::Change::deleted;
    if (!job.deleted) job.job = told;  // the event for a deleted job may contain only the job's name
    job.changed = true;
  }
}

/// Finds jobs that were deleted after the selection, but before the watch: no event reports their end.
void LogFollower::find_deleted_jobs(const api::ResourceKind& kind, const std::string& namespace_name) {
  for (auto& [key, job] : jobs_) {
    if (job.listed || &context_.client.kind_of(job.job) != &kind) continue;
    if (api::namespace_of(job.job) == namespace_name) job.deleted = job.changed = true;
  }
}

FollowedJob* LogFollower::job_of(const Json& pod) {
  const auto found = jobs_.find(api::namespace_of(pod) + "/" + job_key_of_pod(pod));
  if (found == jobs_.end() || !ownership_.has(context_.client, found->second.job, pod)) return nullptr;
  return &found->second;
}

/// Whether the pod is selected directly, not through its job.
bool LogFollower::has_jobless(const Json& pod) {
  const LogSelection& selection = context_.selection;
  return selection.jobs.empty() && !selection.to_come &&
         (!selection.owners || ownership_.has(context_.client, *selection.owners, pod));
}

void LogFollower::on_pod(kube::Change change, const Json& told) {
  const std::string place = api::full_name_of(told);
  const auto known = pod_uids_.find(place);
  const std::string uid = api::uid_of(told);
  // The event for a deleted pod may contain only the pod's name, and a new pod may already have that name.
  if (change == kube::Change::deleted || (known != pod_uids_.end() && known->second != uid)) {
    const std::string gone = known == pod_uids_.end() ? uid : known->second;
    for (auto& log : pods_[gone].logs) log->pod_is_gone();
    for (auto& [key, job] : jobs_) {
      const auto last = job.pods.find(gone);
      if (last != job.pods.end() && gone == uid && find(told, {"status"})) last->second = told;
      forget_pod(job, gone);
    }
    if (known != pod_uids_.end()) pod_uids_.erase(known);
    if (change == kube::Change::deleted) return;
  }
  FollowedJob* job = job_of(told);
  if (!job && !has_jobless(told)) return;
  pod_uids_[place] = uid;
  if (job) {
    job->pods[uid] = told;
    job->changed = true;
    tell_failed_pod(*job, told);
    disruptions_.see(job->job, told);
  }
  FollowedPod& pod = pods_[uid];
  pod.job = job;
  // A pod without a node has no containers yet.
  if (pod.logs.empty() && !api::node_of(told).empty())
    for (LogSource& source : sources_.of(told, job ? &job->job : nullptr)) {
      pod.containers.push_back(source.container);
      pod.logs.push_back(std::make_unique<ContainerLog>(context_, std::move(source)));
    }
  for (size_t i = 0; i < pod.logs.size(); ++i) pod.logs[i]->update(container_state(told, pod.containers[i]));
}

/// Keeps the last state of a failed pod. When the first pod fails, a Job's controller deletes all pods that
/// it believes to be running, so the first failed pod may be one of the deleted pods.
void LogFollower::forget_pod(FollowedJob& job, const std::string& uid) {
  const auto found = job.pods.find(uid);
  if (found == job.pods.end()) return;
  if (ended_badly(found->second)) job.failed_pods.push_back(std::move(found->second));
  job.pods.erase(found);
  job.changed = true;
}

void LogFollower::tell_failed_pod(FollowedJob& job, const Json& pod) {
  const PodView view = view_of_pod(pod);
  const bool stopped = api::condition_is_true(pod, "DisruptionTarget");
  if ((view.phase != "Failed" && !stopped) || has_ended(state_of(job.job, false))) return;
  const bool never_ran = api::node_of(pod).empty();
  // the pod was deleted because its job was suspended
  if (never_ran && find(pod, {"metadata", "deletionTimestamp"})) return;
  if (!job.noted_pods.insert(api::uid_of(pod)).second) return;
  LogEvent event{LogEvent::Kind::pod_failed, "pod " + view.name + (stopped ? " was stopped" : " failed") +
                                                 (view.cause.empty() ? "" : ": " + view.cause)};
  event.pod = view.name;
  event.job = &job.job;
  context_.sink.event(event);
}

void LogFollower::tell_changes(FollowedJob& job, const JobView& view) {
  const std::string note = job.narration.next(view);
  if (note.empty()) return;
  LogEvent event{LogEvent::Kind::waiting, note};
  event.job = &job.job;
  event.view = &view;
  context_.sink.event(event);
}

bool LogFollower::all_read(const FollowedJob& job) const {
  for (const auto& [uid, pod] : pods_) {
    if (pod.job != &job) continue;
    for (const auto& log : pod.logs)
      if (!log->done()) return false;
  }
  return true;
}

/// Watches of jobs and of pods are not synchronized: a pod's last state may arrive after its job's.
void LogFollower::list_pods_once_more(FollowedJob& job) {
  job.pods_complete = true;
  for (const Json& pod : pods_there(job)) on_pod(kube::Change::modified, pod);
}

void LogFollower::end(FollowedJob& job) {
  if (job.deleted && !has_ended(state_of(job.job, false)) && context_.selection.status_after_deletion) {
    std::optional<Json> status = context_.selection.status_after_deletion();
    if (!status) {
      job.reported = true;
      return;
    }
    if (!status->empty()) job.job["status"] = std::move(*status);
  }
  tell_end(job, job.view());
}

void LogFollower::tell_end(FollowedJob& job, const JobView& view) {
  job.reported = true;
  LogEvent event{LogEvent::Kind::job_ended, view.name + " " + in_words(view.state)};
  event.job = &job.job;
  event.view = &view;
  for (const auto& [uid, pod] : job.pods)
    if (ended_badly(pod)) job.failed_pods.push_back(pod);
  event.failed_pods = &job.failed_pods;
  context_.sink.event(event);
}

bool LogFollower::advance() {
  if (context_.failure) throw *context_.failure;
  for (const Disruption& disruption : disruptions_.look_up())
    if (!disruption.by.empty())
      context_.sink.event(
          {LogEvent::Kind::pod_failed, "pod " + disruption.pod + " was " + in_words(disruption)});
  if (arriving_)
    for (Json& job : arriving_->take()) add(std::move(job));
  bool all_ended = !jobs_.empty() || arriving_;
  for (auto& [key, job] : jobs_) {
    if (job.reported) continue;
    const bool may_have_ended = job.pods_complete && all_read(job);
    if (std::exchange(job.changed, false) || may_have_ended) {
      JobView view = job.view();
      kueue_.correct(job.job, view);
      if (waits_in_vain(view)) {
        tell_end(job, view);
        continue;
      }
      tell_changes(job, view);
      if (!has_ended(view.state))
        job.pods_complete = false;  // the job was resumed, so more pods will come
      else if (may_have_ended)
        end(job);
      else if (!job.pods_complete && lists_to_come_ == 0)
        list_pods_once_more(job);
    }
    all_ended = all_ended && job.reported;
  }
  return all_ended && (!arriving_ || arriving_->are_complete());
}

/// A job's pods are similar, so if none has printed a line, one that is silent for a long time stands for
/// all.
void LogFollower::tell_silence(FollowedJob& job) {
  const LogSelection& selection = context_.selection;
  if (job.silence_is_judged || selection.tail || selection.since || selection.since_time) return;
  const Json* silent = nullptr;
  std::string container;
  for (const auto& [uid, pod] : pods_)
    for (const auto& log : pod.logs) {
      const auto known = job.pods.find(uid);
      if (known == job.pods.end() || !log->facts().is_main) continue;
      job.silence_is_judged |= log->has_lines();
      if (log->silent() < kLongSilence) continue;
      silent = &known->second;
      container = log->facts().container;
    }
  if (job.silence_is_judged || !silent) return;
  job.silence_is_judged = true;
  if (!may_keep_lines(*silent, container)) return;
  LogEvent event{LogEvent::Kind::silent, silence_in_words(api::name_of(job.job), true)};
  event.job = &job.job;
  context_.sink.event(event);
}

void LogFollower::tell_waiting() {
  for (auto& [key, job] : jobs_) {
    if (job.reported) continue;
    if (job.narration.is_waiting()) context_.sink.waits(job.view());
    tell_silence(job);
  }
}

void follow_logs(kube::Client& client, const LogSelection& selection, const Interrupt& interrupt,
                 LogSink& sink) {
  allow_many_open_files();
  LogFollower follower(client, selection, sink);
  const int wake[] = {interrupt.fd()};
  constexpr std::chrono::milliseconds kTick{250}, kShortTick{20};
  http::SteadyTime told{};
  while (!follower.advance()) {
    interrupt.check();
    const bool is_more_to_show = sink.pause();
    if (const auto now = client.transport().now(); now - told >= kTick) {
      told = now;
      follower.tell_waiting();
    }
    client.transport().wait(is_more_to_show ? kShortTick : kTick, wake);
  }
}

}  // namespace kml::job
