#include "jobs/sweep/trial_pods.h"

#include <algorithm>

#include "kml/core/text.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/pod_view.h"

namespace kml::jobs {

using sweep::TrialReport;

namespace {

constexpr size_t kLastLines = 20;

}  // namespace

TrialPods::TrialPods(const Shared& shared, std::string name, MetricReader reader)
    : shared_(shared), name_(std::move(name)), reader_(std::move(reader)) {}

void TrialPods::update(const Json& pod, const Json& job) {
  Pod& own = pods_[string_at(pod, {"metadata", "uid"})];
  own.object = pod;
  attach(own, job);
  own.has_ended = pod_has_ended(pod);
  own.has_succeeded =
      string_at(pod, {"status", "phase"}) == "Succeeded" && !find(pod, {"metadata", "deletionTimestamp"});
  if (told_running_ && own.has_started) return;
  const PodView view = view_of_pod(pod);
  own.has_started = view.started.has_value();
  if (told_running_ || !view.started) return;
  told_running_ = true;
  TrialReport report{TrialReport::Kind::running, name_, *view.started};
  report.node = view.node;
  shared_.reports.push_back(std::move(report));
}

void TrialPods::pod_is_gone(const std::string& uid) {
  const auto gone = pods_.find(uid);
  if (gone == pods_.end()) return;
  gone->second.is_gone = true;
  for (auto& log : gone->second.logs) log->pod_is_gone();
}

/// Follows the logs of a pod that has a node.
void TrialPods::attach(Pod& pod, const Json& job) {
  if (pod.containers.empty() && !string_at(pod.object, {"spec", "nodeName"}).empty())
    for (LogSource& source : shared_.sources.of(pod.object, &job)) {
      const bool is_index = string_at(job, {"spec", "completionMode"}) == "Indexed";
      if (!source.is_main || (!is_index && source.rank.value_or(0) != 0)) continue;
      pod.containers.push_back(source.container);
      if (shared_.reads_logs)
        pod.logs.push_back(std::make_unique<ContainerLog>(shared_.context, std::move(source)));
    }
  for (size_t i = 0; i < pod.logs.size(); ++i)
    pod.logs[i]->update(container_state(pod.object, pod.containers[i]));
}

void TrialPods::line(const LogLine& line) {
  if (!line.begins || !line.ends) return;
  keep(line.text);
  tell_metrics(after_carriage_returns(line.text), line.time);
}

void TrialPods::keep(std::string_view line) {
  last_lines_.emplace_back(line);
  if (last_lines_.size() > kLastLines) last_lines_.pop_front();
}

void TrialPods::tell_metrics(std::string_view line, Time time) {
  for (const ReportedMetric& metric : reader_.read(line)) {
    TrialReport report{TrialReport::Kind::metric, name_, time};
    report.metric = metric.name;
    report.value = metric.value;
    report.step = metric.step;
    shared_.reports.push_back(std::move(report));
  }
}

void TrialPods::tell_last_messages() {
  for (const auto& [uid, pod] : pods_)
    for (const Json& status : array_at(pod.object, {"status", "containerStatuses"})) {
      const Json& ended = object_at(status, {"state", "terminated"});
      const std::string container = string_at(status, {"name"});
      if (std::find(pod.containers.begin(), pod.containers.end(), container) == pod.containers.end())
        continue;
      if (string_at(ended, {"reason"}) != "Completed") continue;  // of a failed one it may be the log's end
      for (const std::string& line : split(string_at(ended, {"message"}), '\n')) {
        tell_metrics(line, system_clock().now());
        if (!shared_.reads_logs && !line.empty()) keep(line);
      }
    }
}

bool TrialPods::all_read() const {
  return std::all_of(pods_.begin(), pods_.end(), [](const auto& entry) {
    return std::all_of(entry.second.logs.begin(), entry.second.logs.end(),
                       [](const auto& log) { return log->done(); });
  });
}

long long TrialPods::ended() const {
  return std::count_if(pods_.begin(), pods_.end(), [](const auto& entry) { return entry.second.has_ended; });
}

bool TrialPods::one_has_succeeded() const {
  return std::any_of(pods_.begin(), pods_.end(),
                     [](const auto& entry) { return entry.second.has_succeeded; });
}

bool TrialPods::wait(bool job_is_held) const {
  bool any_new = false;
  for (const auto& [uid, pod] : pods_) {
    if (pod.is_gone || pod.has_ended) continue;
    if (pod.has_started) return false;
    any_new = true;
  }
  return !told_running_ || any_new || job_is_held;
}

std::vector<const Json*> TrialPods::pods() const {
  std::vector<const Json*> pods;
  for (const auto& [uid, pod] : pods_) pods.push_back(&pod.object);
  return pods;
}

std::vector<const Json*> TrialPods::pods_there() const {
  std::vector<const Json*> pods;
  for (const auto& [uid, pod] : pods_)
    if (!pod.is_gone) pods.push_back(&pod.object);
  return pods;
}

TrialReport TrialPods::report(TrialReport::Kind kind) const {
  TrialReport report{kind, name_, system_clock().now()};
  for (const Json* object : pods()) {
    const PodView pod = view_of_pod(*object);
    report.node = pod.node;
    if (pod.started && pod.finished)
      report.gpu_seconds += static_cast<double>(gpus_of_pod(object_at(*object, {"spec"}))) *
                            std::chrono::duration<double>(*pod.finished - *pod.started).count();
  }
  report.last_lines.assign(last_lines_.begin(), last_lines_.end());
  return report;
}

}  // namespace kml::jobs
