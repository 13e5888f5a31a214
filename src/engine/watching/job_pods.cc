#include "engine/watching/job_pods.h"

#include <algorithm>
#include <utility>

#include "engine/watching/kept_object.h"
#include "kml/base/text.h"
#include "kml/engine/watching/event_mark.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::engine {

namespace {

constexpr size_t kLastLines = 20;

}  // namespace

JobPods::JobPods(const Shared& shared, std::string name, MetricReader reader)
    : shared_(shared), name_(std::move(name)), reader_(std::move(reader)) {}

void JobPods::update(const Json& pod, const Json& job) {
  WatchedPod& own = pods_[api::uid_of(pod)];
  own.object = kept_pod(pod);
  own.is_leaving = api::is_being_deleted(pod);
  own.has_ended = api::pod_has_ended(pod);
  own.has_succeeded = api::phase_of(pod) == "Succeeded" && !own.is_leaving;
  if (own.is_replaced) return;
  attach(own, job);
  const bool is_first = !own.started;
  if (is_first) own.started = job::basic_view_of_pod(pod).started;
  if (!own.started) return;
  const bool has_replaced = is_first && pods_.replace_by(own);
  if (has_replaced) last_lines_.clear();
  const bool begun_anew =
      is_first && ((has_replaced && !own.is_replaced) || std::exchange(follows_another_, false));
  const bool is_lost = job::is_on_lost_node(own.object);
  if (begun_anew || (!told_running_ && !own.is_pending() && !is_lost)) tell_start(own, begun_anew);
}

void JobPods::tell_lost_node(const Json& pod) {
  forget_start();
  JobReport report{JobReport::Kind::waiting, name_, system_clock().now()};
  report.cause = job::view_of_pod(pod).cause;
  report.node = api::node_of(pod);
  shared_.reports.push_back(std::move(report));
}

void JobPods::tell_start(const WatchedPod& pod, bool begun_anew) {
  told_running_ = true;
  JobReport report{JobReport::Kind::running, name_, *pod.started};
  report.node = api::node_of(pod.object);
  report.begun_anew = begun_anew;
  shared_.reports.push_back(std::move(report));
}

void JobPods::pod_is_gone(const Json& pod) {
  const auto gone = pods_.find(api::uid_of(pod));
  if (gone == pods_.end()) return;
  gone->second.is_gone = true;
  gone->second.gone = system_clock().now();
  // the final state, not an object with only a uid
  if (find(pod, {"status"})) gone->second.object = kept_pod(pod);
  for (WatchedContainer& container : gone->second.containers)
    if (container.log) container.log->pod_is_gone();
}

/// Whether the pod's log or messages may contain metrics.
bool JobPods::counts(const Json& pod) const {
  return std::all_of(shared_.labels.begin(), shared_.labels.end(),
                     [&](const auto& label) { return api::label_of(pod, label.first) == label.second; });
}

bool JobPods::reads_log_of(const WatchedPod& pod) const {
  return shared_.logs == LogUse::all ||
         (shared_.logs == LogUse::of_failed && api::phase_of(pod.object) == "Failed");
}

/// Follows the logs of a pod as soon as the pod has a node.
void JobPods::attach(WatchedPod& pod, const Json& job) {
  const bool has_unread = !pod.containers.empty() && !pod.containers[0].log && reads_log_of(pod);
  if (has_unread) pod.containers.clear();
  if (pod.containers.empty() && !api::node_of(pod.object).empty() && counts(pod.object)) {
    const auto names_it = [&](const Json& container) {
      return api::entry_name(container) == shared_.container;
    };
    const Json& containers = api::containers_of(pod.object);
    const bool is_named = std::any_of(containers.begin(), containers.end(), names_it);
    for (job::LogSource& source : shared_.sources.of(pod.object, &job)) {
      if (is_named && source.container != shared_.container) continue;
      if (!source.is_main || (!shared_.each_rank_counts && source.rank.value_or(0) != 0)) continue;
      pod.rank = source.rank;
      pod.containers.push_back({source.container, reader_});
      if (reads_log_of(pod))
        pod.containers.back().log = std::make_unique<job::ContainerLog>(shared_.context, std::move(source));
    }
  }
  for (WatchedContainer& container : pod.containers)
    if (container.log) container.log->update(job::container_state(pod.object, container.name));
}

WatchedContainer* JobPods::container_of(const job::LogSource& source) {
  const auto pod = pods_.find(source.pod_uid);
  if (pod == pods_.end() || pod->second.is_replaced) return nullptr;
  auto& containers = pod->second.containers;
  const auto found =
      std::find_if(containers.begin(), containers.end(),
                   [&](const WatchedContainer& container) { return container.name == source.container; });
  return found == containers.end() ? nullptr : &*found;
}

void JobPods::line(const job::LogLine& line) {
  WatchedContainer* container = container_of(*line.source);
  if (!container) return;
  if (line.begins) container->last_shown.clear();
  container->shown.take(line, [&](std::string_view text, bool is_open) {
    if (!text.empty() && text.find(kEventMark) == std::string_view::npos) container->last_shown = text;
    tell_metrics(*container, text, line.time, is_open);
  });
  if (line.ends && (line.begins || !container->last_shown.empty()))
    keep(std::exchange(container->last_shown, {}));
}

/// Handles the start or the end of a log, or a gap in it. A gap without an end is at the end of the log.
void JobPods::event(const job::LogEvent& event) {
  WatchedContainer* container = event.source ? container_of(*event.source) : nullptr;
  if (!container) return;
  if (event.kind == job::LogEvent::Kind::gap) container->has_gap = container->has_gap || !event.to;
  if (event.kind == job::LogEvent::Kind::run_ended) {
    container->is_read = !container->has_gap;
    tell_metrics(*container, "", system_clock().now(), false);
  }
  if (event.kind != job::LogEvent::Kind::began) return;
  container->has_gap = container->is_read = false;
  const WatchedPod& pod = pods_.at(event.source->pod_uid);
  const bool is_again = std::exchange(container->has_begun, true);
  if (is_again) container->reader = reader_;
  if (pod.started && (is_again || !told_running_)) tell_start(pod, is_again);
}

void JobPods::keep(std::string_view line) {
  last_lines_.emplace_back(line);
  if (last_lines_.size() > kLastLines) last_lines_.pop_front();
}

void JobPods::tell_metrics(WatchedContainer& container, std::string_view line, Time time, bool is_open) {
  for (const ReportedMetric& metric : container.reader.read(line, is_open)) {
    JobReport report{JobReport::Kind::metric, name_, time};
    report.metric = metric.name;
    report.value = metric.value;
    report.step = metric.step;
    report.is_of_earlier_step = metric.is_of_earlier_step;
    shared_.reports.push_back(std::move(report));
  }
}

void JobPods::tell_last_messages() {
  for (auto& [uid, pod] : pods_) {
    if (pod.is_replaced) continue;
    for (WatchedContainer& container : pod.containers)
      for (const Json& status : api::container_statuses(pod.object)) {
        const Json* ended = api::terminated_in(status);
        if (api::entry_name(status) != container.name) continue;
        if (!ended || api::reason_of(*ended) != "Completed")
          continue;  // a failed container's message may be the end of its log, so it is skipped
        for (const std::string& line : split(api::message_of(*ended), '\n')) {
          job::ShownLines().take({nullptr, {}, {}, line}, [&](std::string_view text, bool is_open) {
            tell_metrics(container, text, system_clock().now(), is_open);
          });
          if (shared_.logs == LogUse::none && !line.empty()) keep(line);
        }
      }
  }
}

/// Whether the end of a log is missing: the log of the pod that ran last or, if the job has several ranks, of
/// the lowest rank's pod.
bool JobPods::has_lost_lines() const {
  const WatchedPod* last = nullptr;
  const auto key = [](const WatchedPod& pod) { return std::pair(-pod.rank.value_or(0), *pod.started); };
  for (const auto& [uid, pod] : pods_) {
    const bool counts = !pod.containers.empty() && pod.started && !pod.is_replaced;
    if (counts && (!last || key(pod) > key(*last))) last = &pod;
  }
  if (!last) return true;
  if (!reads_log_of(*last)) return !last->has_ended;
  return !std::all_of(last->containers.begin(), last->containers.end(),
                      [](const WatchedContainer& container) { return container.is_read; });
}

bool JobPods::wait(bool job_is_held) const {
  return !pods_.any_is_at_work() && (!told_running_ || pods_.any_waits() || job_is_held);
}

bool JobPods::all_read() const {
  return std::all_of(pods_.begin(), pods_.end(), [](const auto& entry) {
    const auto& containers = entry.second.containers;
    return std::all_of(containers.begin(), containers.end(), [](const WatchedContainer& container) {
      return !container.log || container.log->done();
    });
  });
}

JobReport JobPods::report(JobReport::Kind kind) const {
  JobReport report{kind, name_, system_clock().now()};
  if (const WatchedPod* judged = pods_.judged()) report.node = api::node_of(judged->object);
  for (const auto& [uid, pod] : pods_) {
    if (!pod.started) continue;
    report.job_ended = std::max(report.job_ended.value_or(Time{}), pod.end(report.time));
    const std::chrono::duration<double> ran = pod.end(report.time) - *pod.started;
    report.gpu_seconds +=
        static_cast<double>(job::gpus_of_pod(api::spec_of(pod.object))) * std::max(ran.count(), 0.0);
  }
  if (pods_.any_runs()) report.job_ended.reset();
  report.lost_lines = kind == JobReport::Kind::ended && has_lost_lines();
  report.last_lines.assign(last_lines_.begin(), last_lines_.end());
  return report;
}

}  // namespace kml::engine
