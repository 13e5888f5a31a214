#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/watching/job_maker.h"
#include "engine/watching/job_pods.h"
#include "engine/watching/kept_object.h"
#include "engine/watching/watching_runner.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/kueue_check.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

namespace {

JobReport report_of(JobReport::Kind kind, const std::string& name, const std::string& cause) {
  JobReport report{kind, name, system_clock().now()};
  report.cause = cause;
  return report;
}

/// Whether the job is over. A cancelled job is over only when its pods have stopped.
bool is_over(const Json& job, const JobPods& pods, const std::optional<EndConditions>& ends) {
  return ends ? seen_end(*ends, job).has_value() : job::has_ended(job::state_of(job, pods.pods().any_runs()));
}

/// A job that was started here and has no reported end yet.
struct LiveJob {
  explicit LiveJob(JobPods job_pods) : pods(std::move(job_pods)) {}

  Json job;  ///< null until the server confirms that the job was created
  JobPods pods;
  std::vector<Json> early_pods = {};  ///< pods seen before their job; some may belong to an earlier job
  bool is_gone = false;
  bool pods_complete = false;  ///< whether the pods were listed after the job's end
  std::string wait = {};       ///< the last reported cause for waiting
  http::SteadyTime begun{};
  /// when the cause was last looked up; only used for causes that may differ between jobs
  http::SteadyTime looked_into{};
  std::string podless_cause = {};  ///< why the job has no pods, if known
  /// the job's pods have run and were deleted, so it may now wait for a different reason
  bool has_run = false;
  std::vector<std::string> pod_uids = {};  ///< the keys under which the runner's index lists the job

  bool has_no_pods() const { return !job.is_null() && !is_gone && pods.pods().existing().empty(); }
  /// Whether this runner has seen the end of all pods that the job's status counts as ended.
  bool has_all_pods() const {
    const long long counted = api::succeeded_pods(job) + api::failed_pods(job);
    return job::is_plain_job(job) && counted > 0 && pods.pods().ended() >= counted;
  }
  /// Whether the job is certain to succeed, because its only pod has succeeded. Its controller may need a
  /// second or two to report that.
  bool has_succeeded() const {
    const Json& spec = api::spec_of(job);
    return pods.pods().one_has_succeeded() && job::is_plain_job(job) &&
           int_at(spec, {"completions"}, 1) == 1 && int_at(spec, {"parallelism"}, 1) == 1;
  }
};

/// Handles each event for the one job that it concerns, so that the work for many jobs grows with their
/// number, not with its square.
class ServerJobRunner final : public JobRunner, private WatchingRunner {
 public:
  using WatchingRunner::WatchingRunner;

  void start(const std::vector<Json>& objects) override;
  void stop(const std::string& name) override;
  std::vector<JobReport> wait(std::chrono::milliseconds limit) override {
    return WatchingRunner::wait(limit);
  }

 private:
  void on_job(kube::Change change, const Json& job) override;
  void on_pod(kube::Change change, const Json& pod) override;
  std::string job_of(const Json& pod) const;
  void on_pod_gone(const Json& pod);
  JobPods* pods_of(const job::LogSource& source) override;
  void look_for_ends() override;
  void note_change(const std::string& name, const LiveJob& live);
  bool look_for_end(LiveJob& live);
  JobMaker::Handler handler();
  std::string kind_path(const Json& object);
  void take(const std::string& name, const Json& made);
  void tell_without_job(JobReport::Kind kind, const std::string& name, const std::string& cause);
  void tell_cause(const std::string& name, const std::string& cause);
  void tell_wait(const std::string& name, LiveJob& live);
  void look_for_waits();
  void look_into_one(bool has_run, http::SteadyTime begun_before);
  void cancel_unwanted();
  void tell_end(const LiveJob& live);

  void forget(const std::string& name);

  std::map<std::string, LiveJob> live_;          ///< by name
  std::set<std::string> changed_;                ///< jobs in live_ that may have ended and must be checked
  std::set<std::string> podless_;                ///< jobs in live_ that have no pods
  std::set<std::string> unwanted_;               ///< jobs in live_ that must be cancelled
  std::map<std::string, std::string> pod_jobs_;  ///< names of jobs by the uids of their pods
  job::Ownership ownership_;
  job::KueueCheck kueue_{client_};
  http::SteadyTime next_look_for_waits_{};
  std::map<std::string, JobMaker> makers_;  ///< the key is the path of the jobs' kind
};

JobMaker::Handler ServerJobRunner::handler() {
  return {[this](const auto& name, const Json& job) { take(name, job); },
          [this](const auto& name, const auto& cause) { tell_cause(name, cause); },
          [this](const auto& name, const auto& cause) {
            tell_without_job(JobReport::Kind::refused, name, cause);
          },
          [this](const auto& name) { tell_without_job(JobReport::Kind::ended, name, "it was not created"); }};
}

std::string ServerJobRunner::kind_path(const Json& object) {
  return client_.kind_of(object).path(options_.namespace_name);
}

void ServerJobRunner::start(const std::vector<Json>& objects) {
  for (const Json& object : objects) {
    const std::string name = api::name_of(object);
    kueue_.learn(object);  // now, because the watches' callbacks must not send requests
    forget(name);
    live_.emplace(name, new_pods(name));
  }
  std::map<std::string, std::vector<Json>> by_kind;
  for (const Json& object : objects) {
    watch(client_.kind_of(object));
    by_kind[kind_path(object)].push_back(object);
  }
  for (const auto& [kind, alike] : by_kind)
    makers_.try_emplace(kind, client_, options_, handler()).first->second.make(alike);
}

void ServerJobRunner::take(const std::string& name, const Json& made) {
  LiveJob& live = live_.at(name);
  live.job = kept_job(made);
  live.begun = client_.transport().now();
  note_change(name, live);
  for (const Json& pod : std::exchange(live.early_pods, {})) on_pod(kube::Change::modified, pod);
}

void ServerJobRunner::note_change(const std::string& name, const LiveJob& live) {
  changed_.insert(name);
  if (live.has_no_pods())
    podless_.insert(name);
  else
    podless_.erase(name);
}

void ServerJobRunner::forget(const std::string& name) {
  const auto found = live_.find(name);
  if (found == live_.end()) return;
  for (const std::string& uid : found->second.pod_uids) pod_jobs_.erase(uid);
  for (std::set<std::string>* names : {&changed_, &podless_, &unwanted_}) names->erase(name);
  live_.erase(found);
}

void ServerJobRunner::tell_without_job(JobReport::Kind kind, const std::string& name,
                                       const std::string& cause) {
  forget(name);
  tell(report_of(kind, name, cause));
}

void ServerJobRunner::stop(const std::string& name) {
  if (!live_.contains(name)) return;
  unwanted_.insert(name);
  for (auto& [kind, maker] : makers_) maker.forget(name);
}

void ServerJobRunner::cancel_unwanted() {
  std::erase_if(unwanted_, [&](const std::string& name) {
    const LiveJob& live = live_.at(name);
    if (live.job.is_null() || live.is_gone) return false;
    return options_.ends ? requests_.try_remove(live.job) : requests_.try_cancel(live.job);
  });
}

void ServerJobRunner::on_job(kube::Change change, const Json& job) {
  const std::string name = api::name_of(job);
  const auto found = live_.find(name);
  if (found == live_.end()) return;
  LiveJob& live = found->second;
  if (live.job.is_null() && change != kube::Change::deleted) {
    const auto maker = makers_.find(kind_path(job));
    if (maker != makers_.end()) maker->second.take(job);
    return;
  }
  if (api::uid_of(live.job) != api::uid_of(job)) return;
  if (change == kube::Change::deleted) {
    // the end is reported in look_for_ends(), because a caller may be using this entry now
    live.is_gone = true;
    return note_change(name, live);
  }
  live.job = kept_job(job);
  note_change(name, live);
  tell_wait(name, live);
}

/// The name of the pod's job. If kml does not know the kind of job, uses the value of a label, because
/// operators label pods with their job's name.
std::string ServerJobRunner::job_of(const Json& pod) const {
  const std::string key = job::job_key_of_pod(pod);
  std::string name = job::parts_of_key(key).name;
  if (!options_.ends || live_.contains(name)) return name;
  for (const Json& value : object_at(pod, {"metadata", "labels"}))
    if (value.is_string() && live_.contains(value.get<std::string>())) return value;
  return name;
}

void ServerJobRunner::on_pod(kube::Change change, const Json& pod) {
  if (change == kube::Change::deleted) return on_pod_gone(pod);
  const auto found = live_.find(job_of(pod));
  if (found == live_.end()) return;
  LiveJob& live = found->second;
  if (pod_jobs_.try_emplace(api::uid_of(pod), found->first).second) live.pod_uids.push_back(api::uid_of(pod));
  if (live.job.is_null()) {
    live.early_pods.push_back(kept_pod(pod));
    return;
  }
  if (ownership_.has(client_, live.job, pod)) live.pods.update(pod, live.job);
  note_change(found->first, live);
  tell_wait(found->first, live);
}

/// Finds the pod by its uid: if the pod was deleted during a gap in the watch, the event has only the uid.
void ServerJobRunner::on_pod_gone(const Json& pod) {
  const std::string uid = api::uid_of(pod);
  const auto job = pod_jobs_.find(uid);
  if (job == pod_jobs_.end()) return;
  const std::string& name = job->second;
  LiveJob& live = live_.at(name);
  std::erase_if(live.early_pods, [&](const Json& early) { return api::uid_of(early) == uid; });
  if (!live.pods.pods().contains(uid)) return;
  live.pods.pod_is_gone(pod);
  note_change(name, live);
  tell_wait(name, live);
}

/// Reports what the job waits for (nodes, quota, or admission by a queue) if that has changed.
void ServerJobRunner::tell_wait(const std::string& name, LiveJob& live) {
  if (live.job.is_null()) return;
  if (!live.pods.wait(api::is_suspended(live.job))) {
    live.wait.clear();
    live.podless_cause.clear();
    return;
  }
  const std::vector<const Json*> pods = live.pods.pods().existing();
  job::JobView view = job::view_of_job(live.job, pods);
  if (view.state != job::State::waiting && view.state != job::State::suspended) return;
  kueue_.correct(live.job, view);
  const std::string& cause = !pods.empty() || live.podless_cause.empty() ? view.cause : live.podless_cause;
  if (cause == live.wait && !live.pods.has_started()) return;
  live.has_run = live.has_run || live.pods.has_started();
  live.pods.forget_start();
  live.wait = cause;
  tell(report_of(JobReport::Kind::waiting, name, cause));
}

/// Reports why a job has not been created yet.
void ServerJobRunner::tell_cause(const std::string& name, const std::string& cause) {
  if (std::exchange(live_.at(name).wait, cause) == cause) return;
  tell(report_of(JobReport::Kind::waiting, name, cause));
}

void ServerJobRunner::look_for_waits() {
  constexpr std::chrono::seconds kBetweenLooks{1};
  const http::SteadyTime now = client_.transport().now();
  const auto begun_before = start_of_long_waits();
  if (!begun_before || now < next_look_for_waits_) return;
  next_look_for_waits_ = now + kBetweenLooks;
  for (const bool has_run : {false, true}) look_into_one(has_run, *begun_before);
}

/// Looks up why a job without pods waits. If there are several such jobs, picks the job whose cause was
/// looked up longest ago.
void ServerJobRunner::look_into_one(bool has_run, http::SteadyTime begun_before) {
  const std::string* one = nullptr;
  for (const std::string& name : podless_) {
    options_.on_look();
    const LiveJob& live = live_.at(name);
    if (live.has_run != has_run || live.begun > begun_before) continue;
    if (!one || live.looked_into < live_.at(*one).looked_into) one = &name;
  }
  if (!one) return;
  if (!options_.are_alike) live_.at(*one).looked_into = client_.transport().now();
  const auto cause = look_for_wait(*one);
  if (!cause) return;
  for (const std::string& name : podless_) {
    LiveJob& live = live_.at(name);
    if ((!options_.are_alike && name != *one) || live.has_run != has_run) continue;
    live.podless_cause = *cause;
    tell_wait(name, live);
  }
}

JobPods* ServerJobRunner::pods_of(const job::LogSource& source) {
  const auto found = live_.find(source.job);
  if (found == live_.end()) return nullptr;
  changed_.insert(source.job);  // the job's last line may have arrived
  return &found->second.pods;
}

/// Returns whether the job's end was reported. If the end cannot be reported yet, the job is checked again
/// later.
bool ServerJobRunner::look_for_end(LiveJob& live) {
  options_.on_look();
  if (live.job.is_null()) return false;
  if (live.is_gone) {
    tell(live.pods.report(JobReport::Kind::gone));
    return true;
  }
  const bool has_an_end = is_over(live.job, live.pods, options_.ends);
  if (!has_an_end && !live.has_succeeded()) return false;
  if (has_an_end && !live.pods_complete && !live.has_all_pods()) {
    live.pods_complete = list_pods(live.job);
    // a pod is still running, and its end will cause another event
    if (!is_over(live.job, live.pods, options_.ends)) return false;
  }
  const bool is_complete = !has_an_end || live.pods_complete || live.has_all_pods();
  if (!is_complete || !live.pods.all_read()) {
    changed_.insert(api::name_of(live.job));
    return false;
  }
  live.pods.tell_last_messages();
  tell_end(live);
  return true;
}

void ServerJobRunner::look_for_ends() {
  for (const std::string& name : std::exchange(changed_, {}))
    if (const auto found = live_.find(name); found != live_.end() && look_for_end(found->second))
      forget(name);
  for (auto& [kind, maker] : makers_) maker.make_waiting();
  cancel_unwanted();
  look_for_waits();
}

void ServerJobRunner::tell_end(const LiveJob& live) {
  JobReport report = live.pods.report(JobReport::Kind::ended);
  const std::vector<const Json*> pods = live.pods.pods().last();
  const job::JobView view = job::view_of_job(live.job, pods);
  report.succeeded =
      view.state == job::State::succeeded || (!job::has_ended(view.state) && live.has_succeeded());
  report.out_of_memory = view.cause_code == job::CauseCode::out_of_memory;
  report.cause = view.state == job::State::cancelled ? std::string(kJobCancelled) : view.cause;
  if (const auto seen = options_.ends ? seen_end(*options_.ends, live.job) : std::nullopt) {
    report.succeeded = seen->succeeded;
    report.cause = seen->cause;
  }
  for (const Json* pod : pods)
    if (const auto disruption = job::disruption_of(*pod); disruption && !report.succeeded) {
      report.is_disrupted = true;
      report.cause = job::in_words(*disruption);
      report.node = disruption->node;
    }
  tell(std::move(report));
}

}  // namespace

std::unique_ptr<JobRunner> make_job_runner(kube::Client& client, WatchOptions options,
                                           const job::Interrupt& interrupt) {
  return std::make_unique<ServerJobRunner>(client, std::move(options), interrupt);
}

}  // namespace kml::engine
