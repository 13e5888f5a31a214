#include <algorithm>
#include <map>
#include <tuple>

#include "engine/watching/watching_runner.h"
#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/submit/create.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/sweep/engine/sweep_state.h"
#include "sweep/runner/indexed_wave.h"
#include "sweep/runner/watch_options.h"

namespace kml::sweep {

namespace {

/// The Job controller sets this annotation on the pods of a Job that has a backoffLimitPerIndex.
constexpr std::string_view kFailureCount = "batch.kubernetes.io/job-index-failure-count";

/// The Job's name in the name of a trial, which is "JOB-INDEX".
std::string job_of(const std::string& trial) {
  return trial.substr(0, trial.rfind('-'));
}

class IndexedRunner final : public Runner, private engine::WatchingRunner {
 public:
  IndexedRunner(kube::Client& client, SweepRunnerOptions options, const SweepSpec& spec, std::string server,
                const job::Interrupt& interrupt)
      : engine::WatchingRunner(client, watch_options(options), interrupt),
        sweep_options_(std::move(options)),
        spec_(spec),
        server_(std::move(server)) {}

  void start(const std::vector<TrialJob>& jobs) override;
  void stop(const std::string& job) override;
  std::vector<TrialReport> wait(std::chrono::milliseconds limit) override {
    return engine::WatchingRunner::wait(limit);
  }

 private:
  void make_waves();
  void make(LiveWave& wave);
  Json create(const std::string& name, const std::vector<TrialJob>& jobs, long long parallelism);
  long long share_of(const LiveWave& wave) const;
  void share();
  void cancel_stopped();
  void adopt(LiveWave& wave, const Json& job);
  void on_job(kube::Change change, const Json& job) override;
  void on_pod(kube::Change change, const Json& pod) override;
  void on_pod_gone(const Json& pod);
  LiveIndex* live_of(LiveWave& wave, int index, const Json& pod);
  engine::JobPods* pods_of(const job::LogSource& source) override;
  void look_for_ends() override;
  void tell_gone(LiveWave& wave);
  void look_at(LiveWave& wave);
  void look_for_waits();
  void tell_wait(LiveWave& wave, const std::string& cause);
  bool list_indexes(const LiveWave& wave, const std::vector<size_t>& indexes);
  bool is_settled(const LiveIndex& live) const;
  void tell_end(const LiveIndex& live);
  void tell_end_without_pod(const LiveWave& wave, int index);

  const SweepRunnerOptions sweep_options_;
  const SweepSpec& spec_;
  const std::string server_;
  std::map<std::string, LiveWave> waves_;  ///< the key is the name of the Job
  std::vector<LiveWave*> order_;           ///< the waves in the order in which they started
  std::map<std::string, LiveIndex> live_;  ///< open trials with a pod, by name
};

void IndexedRunner::start(const std::vector<TrialJob>& jobs) {
  LiveWave& wave = waves_[job_of(jobs[0].name)];
  for (const TrialJob& job : jobs) {
    wave.names.push_back(job.name);
    wave.is_open.push_back(!job.has_ended);
  }
  wave.to_make = jobs;
  order_.push_back(&wave);
  job::settle_abandoned(client_, server_);
  make_waves();
  share();
  watch(*api::find_kind("batch/v1", "Job"));
}

void IndexedRunner::make_waves() {
  for (LiveWave* wave : order_)
    if (!wave->to_make.empty() && requests_.try_request([&] { make(*wave); })) wave->to_make.clear();
}

/// Creates the Job if it does not exist. If some of its trials have already ended, a missing Job was deleted,
/// and is not created again.
void IndexedRunner::make(LiveWave& wave) {
  const std::vector<TrialJob>& jobs = wave.to_make;
  const std::string name = job_of(jobs[0].name);
  auto job = client_.get_if_exists(*api::find_kind("batch/v1", "Job"), options_.namespace_name, name);
  const bool is_new =
      std::none_of(jobs.begin(), jobs.end(), [](const TrialJob& trial) { return trial.has_ended; });
  if (!job && is_new && !wave.is_stopping) job = create(name, jobs, share_of(wave));
  wave.is_gone = !job;
  wave.begun = client_.transport().now();
  if (job) adopt(wave, *job);
}

Json IndexedRunner::create(const std::string& name, const std::vector<TrialJob>& jobs,
                           long long parallelism) {
  IndexedObjects objects = indexed_objects(sweep_options_, spec_, name, jobs);
  objects.job["spec"]["parallelism"] = parallelism;
  job::Belongings tables(client_, server_, std::move(objects.tables), {objects.job});
  try {
    tables.create();
    Json job = job::create_once(client_, options_.namespace_name, objects.job);
    tables.hand_over({job});
    return job;
  } catch (const Error&) {
    tables.give_up();
    throw;
  }
}

/// Starts to track the Job, which may have been created by an earlier engine.
void IndexedRunner::adopt(LiveWave& wave, const Json& job) {
  const std::string name = api::name_of(job);
  if (api::label_of(job, api::kSubmitId) != options_.submit_id)
    throw usage_error("job " + name + " already exists and does not belong to this sweep",
                      "the sweep needs a Job with that name for its trials",
                      "give the sweep another name, or `kml delete " + name + "`");
  wave.update(job);
  wave.parallelism = api::parallelism_of(job);
  for (const Json& pod : std::exchange(wave.early_pods, {})) on_pod(kube::Change::modified, pod);
}

/// How many trials of the wave may run at the same time: the sweep's parallelism, minus the open trials of
/// earlier waves.
long long IndexedRunner::share_of(const LiveWave& wave) const {
  long long left = spec_.parallel;
  for (const LiveWave* other : order_) {
    if (other == &wave) break;
    if (!other->is_gone && !other->is_over)
      left -= std::min<long long>(left, std::count(other->is_open.begin(), other->is_open.end(), true));
  }
  return std::min<long long>(left, static_cast<long long>(wave.names.size()));
}

void IndexedRunner::share() {
  for (LiveWave* wave : order_) {
    const long long wanted = share_of(*wave);
    if (wave->is_gone || wave->is_over || wave->is_stopping || wave->job.is_null()) continue;
    const auto patch = [&] {
      client_.patch(client_.kind_of(wave->job), options_.namespace_name, api::name_of(wave->job),
                    kube::PatchType::merge, {{"spec", {{"parallelism", wanted}}}});
    };
    if (wave->parallelism != wanted && requests_.try_request_unless_gone(patch)) wave->parallelism = wanted;
  }
}

void IndexedRunner::stop(const std::string& trial) {
  waves_.at(job_of(trial)).is_stopping = true;
}

void IndexedRunner::cancel_stopped() {
  for (LiveWave* wave : order_)
    if (wave->is_stopping && !wave->is_cancelled && !wave->is_gone && !wave->job.is_null())
      wave->is_cancelled = requests_.try_cancel(wave->job);
}

void IndexedRunner::on_job(kube::Change change, const Json& job) {
  const auto found = waves_.find(api::name_of(job));
  if (found == waves_.end() || found->second.is_gone) return;
  LiveWave& wave = found->second;
  if (api::uid_of(wave.job) != api::uid_of(job)) return;
  if (change == kube::Change::deleted) {
    wave.is_gone = true;
    return;
  }
  wave.update(job);
}

/// A sort key that is larger for later pods of an index. Creation times are not enough, because they are in
/// whole seconds and may be equal.
std::tuple<int, std::string, bool> age_of(const Json& pod, int failures) {
  const bool is_leaving = api::pod_has_ended(pod) || api::is_being_deleted(pod);
  return {failures, api::creation_text(pod), !is_leaving};
}

/// The entry for the index, with this pod as the last one; nullptr if the pod is an earlier one.
LiveIndex* IndexedRunner::live_of(LiveWave& wave, int index, const Json& pod) {
  const std::string& name = wave.names[static_cast<size_t>(index)];
  const std::string uid = api::uid_of(pod);
  const int failures = whole_number(api::annotation_of(pod, kFailureCount)).value_or(0);
  const auto before = live_.find(name);
  const bool has_one = before != live_.end();
  if (has_one && before->second.uid == uid) return &before->second;
  if (has_one && age_of(pod, failures) <= age_of(before->second.pod, before->second.failures)) return nullptr;
  const bool has_failed = failures > (has_one ? before->second.failures : 0);
  TrialReport report{TrialReport::Kind::retried, name, system_clock().now()};
  if (has_one) {
    report = report_of(before->second, TrialReport::Kind::retried);
    report.cause = job::view_of_pod(before->second.pod).cause;
    live_.erase(before);
  }
  report.attempt = failures;
  LiveIndex& live = live_
                        .insert({name, LiveIndex{.wave = &wave,
                                                 .index = index,
                                                 .pods = new_pods(name, true),
                                                 .uid = uid,
                                                 .failures = failures,
                                                 .gpu_seconds = has_failed ? 0 : report.gpu_seconds}})
                        .first->second;
  if (has_one && !has_failed) live.pods.follow_another();
  if (has_failed) tell(std::move(report));
  return &live;
}

void IndexedRunner::on_pod(kube::Change change, const Json& pod) {
  if (change == kube::Change::deleted) return on_pod_gone(pod);
  const auto found = waves_.find(api::label_of(pod, api::kJobName));
  if (found == waves_.end()) return;
  LiveWave& wave = found->second;
  if (wave.job.is_null()) return wave.early_pods.push_back(pod);
  if (!job::has_pod(wave.job, pod)) return;
  const int index = whole_number(api::label_of(pod, api::kCompletionIndex)).value_or(-1);
  if (index < 0 || static_cast<size_t>(index) >= wave.names.size()) return;
  if (!wave.is_open[static_cast<size_t>(index)]) return;
  LiveIndex* live = live_of(wave, index, pod);
  if (!live) return;
  live->pod = pod;
  live->has_ended = api::pod_has_ended(pod);
  live->has_succeeded = api::phase_of(pod) == "Succeeded";
  live->pods.update(pod, wave.job);
  if (job::is_on_lost_node(pod)) live->pods.tell_lost_node(pod);
}

/// Finds the pod by its uid: if the pod was deleted during a gap in the watch, the event has only the uid.
/// The Job then creates another pod, unless this one had ended.
void IndexedRunner::on_pod_gone(const Json& pod) {
  const std::string uid = api::uid_of(pod);
  for (LiveWave* wave : order_)
    std::erase_if(wave->early_pods, [&](const Json& early) { return api::uid_of(early) == uid; });
  const auto live =
      std::find_if(live_.begin(), live_.end(), [&](const auto& each) { return each.second.uid == uid; });
  if (live != live_.end()) live->second.pods.pod_is_gone(pod);
}

engine::JobPods* IndexedRunner::pods_of(const job::LogSource& source) {
  const auto found = live_.find(index_name(source.job, static_cast<size_t>(source.rank.value_or(0))));
  return found == live_.end() || found->second.uid != source.pod_uid ? nullptr : &found->second.pods;
}

void IndexedRunner::look_for_ends() {
  make_waves();
  for (auto& [name, wave] : waves_)
    if (wave.is_gone)
      tell_gone(wave);
    else
      look_at(wave);
  for (auto live = live_.begin(); live != live_.end();) {
    if (!is_settled(live->second)) {
      ++live;
      continue;
    }
    live->second.pods.tell_last_messages();
    tell_end(live->second);
    live->second.wave->is_open[static_cast<size_t>(live->second.index)] = false;
    live = live_.erase(live);
  }
  share();
  cancel_stopped();
  look_for_waits();
}

/// Reports why a Job has no pods: for example, because of a quota or a queue.
void IndexedRunner::look_for_waits() {
  const auto begun_before = start_of_long_waits();
  if (!begun_before) return;
  for (auto& [name, wave] : waves_) {
    if (wave.is_gone || wave.is_over || wave.job.is_null() || wave.begun > *begun_before) continue;
    if (wave.parallelism == 0) {
      tell_wait(wave, "trials that were started earlier run first");
      continue;
    }
    const bool any_pod = std::any_of(live_.begin(), live_.end(), [own = &wave](const auto& live) {
      return live.second.wave == own && !live.second.pods.pods().existing().empty();
    });
    if (any_pod)
      wave.wait.clear();
    else if (const auto cause = look_for_wait(name))
      return tell_wait(wave, *cause);
  }
}

void IndexedRunner::tell_wait(LiveWave& wave, const std::string& cause) {
  if (std::exchange(wave.wait, cause) == cause) return;
  for (size_t i = 0; i < wave.names.size(); ++i) {
    if (!wave.is_open[i]) continue;
    TrialReport report{TrialReport::Kind::waiting, wave.names[i], system_clock().now()};
    report.cause = cause;
    tell(std::move(report));
  }
}

void IndexedRunner::tell_gone(LiveWave& wave) {
  for (size_t i = 0; i < wave.names.size(); ++i) {
    if (!wave.is_open[i]) continue;
    wave.is_open[i] = false;
    const auto live = live_.find(wave.names[i]);
    tell(live == live_.end() ? TrialReport{TrialReport::Kind::gone, wave.names[i], system_clock().now()}
                             : report_of(live->second, TrialReport::Kind::gone));
    if (live != live_.end()) live_.erase(live);
  }
}

/// When the Job is over, lists the pods of open indexes, because watches of Jobs and of pods are not
/// synchronized, and pods may have been deleted.
void IndexedRunner::look_at(LiveWave& wave) {
  if (wave.pods_complete || !wave.is_over) return;
  const auto is_missing = [&](size_t i) {
    const auto live = live_.find(wave.names[i]);
    return wave.is_open[i] && (live == live_.end() || !live->second.has_ended);
  };
  std::vector<size_t> missing;
  for (size_t i = 0; i < wave.names.size(); ++i)
    if (is_missing(i)) missing.push_back(i);
  if (!missing.empty() && !is_quiet()) return;  // most pods will still arrive through the watches
  wave.pods_complete = list_indexes(wave, missing);
  if (!wave.pods_complete) return;
  for (size_t i = 0; i < wave.names.size(); ++i)
    if (wave.is_open[i] && !live_.contains(wave.names[i])) {
      tell_end_without_pod(wave, static_cast<int>(i));
      wave.is_open[i] = false;
    }
}

/// Lists only a few hundred pods at a time, because ten thousand pods would take a gigabyte of memory.
bool IndexedRunner::list_indexes(const LiveWave& wave, const std::vector<size_t>& indexes) {
  constexpr size_t kAtOnce = 200;
  for (size_t begin = 0; begin < indexes.size(); begin += kAtOnce) {
    std::vector<std::string> numbers;
    for (size_t i = begin; i < std::min(begin + kAtOnce, indexes.size()); ++i)
      numbers.push_back(std::to_string(indexes[i]));
    if (!list_pods(wave.job, std::string(api::kCompletionIndex) + " in (" + join(numbers, ",") + ")"))
      return false;
  }
  return true;
}

/// Whether the index gets no more pods, and the log of its last pod was read completely. Only the Job's
/// status shows whether a failed pod is retried.
bool IndexedRunner::is_settled(const LiveIndex& live) const {
  const LiveWave& wave = *live.wave;
  if (!live.has_ended && !wave.pods_complete) return false;
  const bool is_decided = wave.pods_complete || live.has_succeeded || wave.completed.contains(live.index) ||
                          wave.failed.contains(live.index);
  return is_decided && live.pods.all_read();
}

void IndexedRunner::tell_end(const LiveIndex& live) {
  TrialReport report = report_of(live, TrialReport::Kind::ended);
  report.succeeded = live.has_succeeded || live.wave->completed.contains(live.index);
  if (!report.succeeded) {
    const auto cause = job::pod_cause({.job = live.wave->job}, live.pod);
    report.cause = cause ? cause->brief : job::view_of_job(live.wave->job).cause;
    report.out_of_memory = cause && cause->code == job::CauseCode::out_of_memory;
  }
  tell(std::move(report));
}

void IndexedRunner::tell_end_without_pod(const LiveWave& wave, int index) {
  TrialReport report{TrialReport::Kind::ended, wave.names[static_cast<size_t>(index)], system_clock().now()};
  report.succeeded = wave.completed.contains(index);
  report.cause = job::view_of_job(wave.job).cause;
  report.lost_lines = true;
  tell(std::move(report));
}

}  // namespace

std::unique_ptr<Runner> make_indexed_runner(kube::Client& client, SweepRunnerOptions options,
                                            const SweepSpec& spec, std::string server,
                                            const job::Interrupt& interrupt) {
  return std::make_unique<IndexedRunner>(client, std::move(options), spec, std::move(server), interrupt);
}

}  // namespace kml::sweep
