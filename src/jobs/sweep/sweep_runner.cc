#include "kml/jobs/sweep_runner.h"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "jobs/logs/container_log.h"
#include "jobs/logs/open_files.h"
#include "jobs/logs/sources.h"
#include "jobs/sweep/metric_reader.h"
#include "kml/api/labels.h"
#include "kml/api/object_name.h"
#include "kml/core/text.h"
#include "kml/jobs/control.h"
#include "kml/jobs/create.h"
#include "kml/jobs/job_view.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/pod_view.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

namespace {

using sweep::TrialJob;
using sweep::TrialReport;

constexpr size_t kLastLines = 20;

std::string uid_of(const Json& object) {
  return string_at(object, {"metadata", "uid"});
}

/// A pod of a trial, and the logs of its main containers.
struct TrialPod {
  Json pod;
  std::vector<std::unique_ptr<ContainerLog>> logs;
  std::vector<std::string> containers;
};

/// A trial's job that was started here and whose end was not told.
struct LiveJob {
  explicit LiveJob(MetricReader metric_reader) : reader(std::move(metric_reader)) {}

  Json job;
  std::map<std::string, TrialPod> pods;  ///< by uid
  MetricReader reader;
  std::deque<std::string> last_lines;
  bool told_running = false;
  bool is_gone = false;
  bool pods_complete = false;  ///< they were listed after its end
};

class SweepRunner final : public sweep::Runner, private LogSink {
 public:
  SweepRunner(kube::Client& client, SweepRunnerOptions options, const Interrupt& interrupt)
      : client_(client), options_(std::move(options)), interrupt_(interrupt) {
    allow_many_open_files();
  }

  void start(const std::vector<TrialJob>& jobs) override;
  void stop(const std::string& job) override;
  std::vector<TrialReport> wait(std::chrono::milliseconds limit) override;

 private:
  void watch(const api::ResourceKind& kind);
  void on_job(kube::Change change, const Json& job);
  void on_pod(kube::Change change, const Json& pod);
  void take(const std::string& name, const Json& made);
  void attach(LiveJob& live, TrialPod& own);
  void start_again(const std::string& name, const Json& object, const Error& error);
  bool all_read(const LiveJob& live) const;
  bool has_all_pods(const LiveJob& live) const;
  void list_pods_once_more(LiveJob& live);
  void look_for_ends();
  void tell_metrics(const std::string& name, LiveJob& live, std::string_view line, Time time);
  void tell_last_messages(const std::string& name, LiveJob& live);
  void tell_end(const std::string& name, const LiveJob& live);
  void tell(TrialReport report) { reports_.push_back(std::move(report)); }

  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent&) override {}

  kube::Client& client_;
  const SweepRunnerOptions options_;
  const Interrupt& interrupt_;
  const LogSelection selection_ = {};
  LogContext context_{client_, selection_, *this};
  Sources sources_{selection_};
  std::map<std::string, LiveJob> live_;  ///< by name
  std::vector<TrialReport> reports_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

void SweepRunner::watch(const api::ResourceKind& kind) {
  const bool is_pod = kind.kind == "Pod";
  watches_.push_back(kube::watch(client_, kind, options_.namespace_name,
                                 {std::string(api::kSweep) + "=" + options_.sweep, ""},
                                 {[this, is_pod](kube::Change change, const Json& object) {
                                    is_pod ? on_pod(change, object) : on_job(change, object);
                                  },
                                  [] {}, [this](const Error& error) { context_.failure = error; }}));
}

void SweepRunner::start(const std::vector<TrialJob>& jobs) {
  std::vector<Json> objects;
  for (const TrialJob& job : jobs) {
    objects.push_back(trial_manifest(options_, job));
    live_.insert_or_assign(job.name, LiveJob(MetricReader(options_.resource, options_.filters)));
  }
  if (watches_.empty()) {
    watch(client_.kind_of(objects.front()));
    watch(*api::find_kind("v1", "Pod"));
  }
  const std::vector<Creation> results = create_all(client_, objects, {});
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].created)
      take(jobs[i].name, *results[i].created);
    else if (results[i].error)
      start_again(jobs[i].name, objects[i], *results[i].error);
    else  // not tried, for one before it was refused
      start({jobs.begin() + static_cast<long>(i), jobs.begin() + static_cast<long>(i) + 1});
  }
}

void SweepRunner::take(const std::string& name, const Json& made) {
  LiveJob& live = live_.at(name);
  if (live.job.is_null()) live.job = made;
  for (auto& [uid, own] : live.pods) attach(live, own);
}

/// One that an earlier engine made is taken for it. Anything else is the trial's failure; where the server
/// cannot be reached it is the sweep's, which can be resumed.
void SweepRunner::start_again(const std::string& name, const Json& object, const Error& error) {
  if (error.http_status == 0) throw Error(error);
  if (error.reason == "AlreadyExists") {
    const auto there = client_.get_if_exists(client_.kind_of(object), options_.namespace_name, name);
    const bool is_own =
        there && string_at(*there, {"metadata", "labels", api::kSubmitId}) == options_.submit_id;
    if (is_own) return take(name, *there);
  }
  TrialReport report{TrialReport::Kind::refused, name, system_clock().now()};
  report.cause = error.message + (error.why.empty() ? "" : ": " + error.why);
  live_.erase(name);
  tell(std::move(report));
}

void SweepRunner::stop(const std::string& name) {
  const auto found = live_.find(name);
  if (found == live_.end()) return;
  try {
    cancel(client_, found->second.job);
  } catch (const Error& error) {
    if (error.http_status != 404) throw;  // gone: the watch will tell
  }
}

void SweepRunner::on_job(kube::Change change, const Json& job) {
  const std::string name = api::name_of(job);
  const auto found = live_.find(name);
  if (found == live_.end()) return;
  if (change != kube::Change::deleted) {
    found->second.job = job;
    return;
  }
  if (!found->second.job.is_null() && uid_of(found->second.job) != uid_of(job)) return;
  found->second.is_gone = true;  // told in look_for_ends(): somebody may be looking at it now
}

void SweepRunner::on_pod(kube::Change change, const Json& pod) {
  const std::string key = job_key_of_pod(pod);
  const auto found = live_.find(key.substr(key.find('/') + 1));
  if (found == live_.end()) return;
  LiveJob& live = found->second;
  if (change == kube::Change::deleted) {
    const auto gone = live.pods.find(uid_of(pod));
    if (gone == live.pods.end()) return;
    for (auto& log : gone->second.logs) log->pod_is_gone();
    return;
  }
  TrialPod& own = live.pods[uid_of(pod)];
  own.pod = pod;
  attach(live, own);
  const PodView view = view_of_pod(pod);
  if (live.told_running || !view.started) return;
  live.told_running = true;
  TrialReport report{TrialReport::Kind::running, found->first, *view.started};
  report.node = view.node;
  tell(std::move(report));
}

/// Follows the logs of a pod that has a node; the job may become known after it.
void SweepRunner::attach(LiveJob& live, TrialPod& own) {
  if (own.logs.empty() && !string_at(own.pod, {"spec", "nodeName"}).empty() && !live.job.is_null())
    for (LogSource& source : sources_.of(own.pod, &live.job)) {
      if (!source.is_main || source.rank.value_or(0) != 0) continue;
      own.containers.push_back(source.container);
      own.logs.push_back(std::make_unique<ContainerLog>(context_, std::move(source)));
    }
  for (size_t i = 0; i < own.logs.size(); ++i)
    own.logs[i]->update(container_state(own.pod, own.containers[i]));
}

void SweepRunner::lines(std::span<const LogLine> lines) {
  for (const LogLine& line : lines) {
    const auto found = live_.find(line.source->job);
    if (found == live_.end() || !line.begins || !line.ends) continue;
    LiveJob& live = found->second;
    live.last_lines.emplace_back(line.text);
    if (live.last_lines.size() > kLastLines) live.last_lines.pop_front();
    tell_metrics(found->first, live, after_carriage_returns(line.text), line.time);
  }
}

void SweepRunner::tell_metrics(const std::string& name, LiveJob& live, std::string_view line, Time time) {
  for (const ReportedMetric& metric : live.reader.read(line)) {
    TrialReport report{TrialReport::Kind::metric, name, time};
    report.metric = metric.name;
    report.value = metric.value;
    report.step = metric.step;
    tell(std::move(report));
  }
}

/// What containers left in their termination messages, after all that they logged.
void SweepRunner::tell_last_messages(const std::string& name, LiveJob& live) {
  for (const auto& [uid, own] : live.pods)
    for (const Json& status : array_at(own.pod, {"status", "containerStatuses"})) {
      const Json& ended = object_at(status, {"state", "terminated"});
      const auto& read = own.containers;
      if (std::find(read.begin(), read.end(), string_at(status, {"name"})) == read.end()) continue;
      if (string_at(ended, {"reason"}) != "Completed") continue;  // of a failed one it may be the log's end
      for (const std::string& line : split(string_at(ended, {"message"}), '\n'))
        tell_metrics(name, live, line, system_clock().now());
    }
}

bool SweepRunner::all_read(const LiveJob& live) const {
  return std::all_of(live.pods.begin(), live.pods.end(), [](const auto& entry) {
    return std::all_of(entry.second.logs.begin(), entry.second.logs.end(),
                       [](const auto& log) { return log->done(); });
  });
}

/// Whether the ends of as many pods were seen as the job counts.
bool SweepRunner::has_all_pods(const LiveJob& live) const {
  const auto ended = std::count_if(live.pods.begin(), live.pods.end(), [](const auto& entry) {
    const std::string phase = string_at(entry.second.pod, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
  });
  const long long counted =
      int_at(live.job, {"status", "succeeded"}) + int_at(live.job, {"status", "failed"});
  return string_at(live.job, {"kind"}) == "Job" && counted > 0 && ended >= counted;
}

/// The two watches are not in step: a pod's last state may come after the job's.
void SweepRunner::list_pods_once_more(LiveJob& live) {
  live.pods_complete = true;
  const kube::ListOptions options{.label_selector = pod_selector(live.job)};
  for (const Json& pod : client_.list(*api::find_kind("v1", "Pod"), options_.namespace_name, options).items)
    on_pod(kube::Change::modified, pod);
}

void SweepRunner::look_for_ends() {
  std::vector<std::string> ended;
  for (auto& [name, live] : live_) {
    if (live.job.is_null()) continue;
    if (live.is_gone) {
      tell({TrialReport::Kind::gone, name, system_clock().now()});
      ended.push_back(name);
      continue;
    }
    if (!has_ended(state_of(live.job, false))) continue;
    if (!live.pods_complete && !has_all_pods(live)) list_pods_once_more(live);
    if (!all_read(live)) continue;
    tell_last_messages(name, live);
    tell_end(name, live);
    ended.push_back(name);
  }
  for (const std::string& name : ended) live_.erase(name);
}

void SweepRunner::tell_end(const std::string& name, const LiveJob& live) {
  std::vector<const Json*> pods;
  TrialReport report{TrialReport::Kind::ended, name, system_clock().now()};
  for (const auto& [uid, own] : live.pods) {
    pods.push_back(&own.pod);
    const PodView pod = view_of_pod(own.pod);
    report.node = pod.node;
    if (pod.started && pod.finished)
      report.gpu_seconds += static_cast<double>(gpus_of_pod(object_at(own.pod, {"spec"}))) *
                            std::chrono::duration<double>(*pod.finished - *pod.started).count();
  }
  const JobView view = view_of_job(live.job, pods);
  report.succeeded = view.state == State::succeeded;
  report.out_of_memory = view.cause_code == "out-of-memory";
  report.cause = view.cause;
  report.last_lines.assign(live.last_lines.begin(), live.last_lines.end());
  tell(std::move(report));
}

std::vector<TrialReport> SweepRunner::wait(std::chrono::milliseconds limit) {
  const auto until = client_.transport().now() + limit;
  const int wake[] = {interrupt_.fd()};
  while (true) {
    interrupt_.check();
    if (context_.failure) throw Error(*context_.failure);
    look_for_ends();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - client_.transport().now());
    if (!reports_.empty() || left.count() <= 0) return std::exchange(reports_, {});
    client_.transport().wait(left, wake);
  }
}

}  // namespace

std::unique_ptr<sweep::Runner> make_sweep_runner(kube::Client& client, SweepRunnerOptions options,
                                                 const Interrupt& interrupt) {
  return std::make_unique<SweepRunner>(client, std::move(options), interrupt);
}

}  // namespace kml::jobs
