#include "engine/watching/job_pods.h"

#include <algorithm>
#include <utility>

#include "engine/watching/kept_object.h"
#include "kml/base/text.h"
#include "kml/engine/watching/event_mark.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::jobs {

using engine::JobReport;

namespace {

constexpr size_t kLastLines = 20;

}  // namespace

JobPods::JobPods(const Shared& shared, std::string name, MetricReader reader)
    : shared_(shared), name_(std::move(name)), reader_(std::move(reader)) {}

void JobPods::update(const Json& pod, const Json& job) {
  Pod& own = pods_[api::uid_of(pod)];
  own.object = kept_pod(pod);
  own.is_leaving = api::is_being_deleted(pod);
  own.has_ended = api::pod_has_ended(pod);
  own.has_succeeded = api::phase_of(pod) == "Succeeded" && !own.is_leaving;
  if (own.is_replaced) return;
  attach(own, job);
  const bool is_first = !own.started;
  if (is_first) own.started = basic_view_of_pod(pod).started;
  if (!own.started) return;
  const bool begun_anew = is_first && (take_place(own) || std::exchange(follows_another_, false));
  if (begun_anew || (!told_running_ && !own.is_pending())) tell_start(own, begun_anew);
}

/// Marks a pod of the same rank as replaced by a later one. Returns whether `pod` is the later one. Pods are
/// not listed in the order of their creation.
bool JobPods::take_place(Pod& pod) {
  bool any = false;
  for (auto& [uid, other] : pods_) {
    const bool is_alike = !other.containers.empty() && other.started && other.rank == pod.rank;
    if (&other == &pod || pod.containers.empty() || !is_alike || other.is_replaced) continue;
    const bool is_later =
        *pod.started > *other.started || (*pod.started == *other.started && other.is_over());
    Pod& earlier = is_later ? other : pod;
    if (!earlier.is_over()) continue;
    earlier.is_replaced = true;
    for (Container& container : earlier.containers) container.log.reset();
    any = any || is_later;
  }
  if (any) last_lines_.clear();
  return any && !pod.is_replaced;
}

void JobPods::tell_start(const Pod& pod, bool begun_anew) {
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
  if (find(pod, {"status"})) gone->second.object = kept_pod(pod);  // the final state
  for (Container& container : gone->second.containers)
    if (container.log) container.log->pod_is_gone();
}

/// Whether metrics may be in this pod.
bool JobPods::counts(const Json& pod) const {
  return std::all_of(shared_.labels.begin(), shared_.labels.end(),
                     [&](const auto& label) { return api::label_of(pod, label.first) == label.second; });
}

bool JobPods::reads_log_of(const Pod& pod) const {
  return shared_.logs == LogUse::all ||
         (shared_.logs == LogUse::of_failed && api::phase_of(pod.object) == "Failed");
}

/// Follows the logs of a pod once it has a node.
void JobPods::attach(Pod& pod, const Json& job) {
  const bool has_unread = !pod.containers.empty() && !pod.containers[0].log && reads_log_of(pod);
  if (has_unread) pod.containers.clear();
  if (pod.containers.empty() && !api::node_of(pod.object).empty() && counts(pod.object)) {
    const auto names_it = [&](const Json& container) {
      return api::entry_name(container) == shared_.container;
    };
    const Json& containers = api::containers_of(pod.object);
    const bool is_named = std::any_of(containers.begin(), containers.end(), names_it);
    for (LogSource& source : shared_.sources.of(pod.object, &job)) {
      if (is_named && source.container != shared_.container) continue;
      if (!source.is_main || (!shared_.each_rank_counts && source.rank.value_or(0) != 0)) continue;
      pod.rank = source.rank;
      pod.containers.push_back({source.container, reader_});
      if (reads_log_of(pod))
        pod.containers.back().log = std::make_unique<ContainerLog>(shared_.context, std::move(source));
    }
  }
  for (Container& container : pod.containers)
    if (container.log) container.log->update(container_state(pod.object, container.name));
}

JobPods::Container* JobPods::container_of(const LogSource& source) {
  const auto pod = pods_.find(source.pod_uid);
  if (pod == pods_.end() || pod->second.is_replaced) return nullptr;
  auto& containers = pod->second.containers;
  const auto found = std::find_if(containers.begin(), containers.end(), [&](const Container& container) {
    return container.name == source.container;
  });
  return found == containers.end() ? nullptr : &*found;
}

void JobPods::line(const LogLine& line) {
  Container* container = container_of(*line.source);
  if (!container) return;
  if (line.begins) container->last_shown.clear();
  container->shown.take(line, [&](std::string_view text, bool is_open) {
    if (!text.empty() && text.find(kEventMark) == std::string_view::npos) container->last_shown = text;
    tell_metrics(*container, text, line.time, is_open);
  });
  if (line.ends && (line.begins || !container->last_shown.empty()))
    keep(std::exchange(container->last_shown, {}));
}

/// A gap without an end is at the end of the log.
void JobPods::event(const LogEvent& event) {
  Container* container = event.source ? container_of(*event.source) : nullptr;
  if (!container) return;
  if (event.kind == LogEvent::Kind::gap) container->has_gap = container->has_gap || !event.to;
  if (event.kind == LogEvent::Kind::run_ended) {
    container->is_read = !container->has_gap;
    tell_metrics(*container, "", system_clock().now(), false);
  }
  if (event.kind != LogEvent::Kind::began) return;
  container->has_gap = container->is_read = false;
  const Pod& pod = pods_.at(event.source->pod_uid);
  const bool is_again = std::exchange(container->has_begun, true);
  if (is_again) container->reader = reader_;
  if (pod.started && (is_again || !told_running_)) tell_start(pod, is_again);
}

void JobPods::keep(std::string_view line) {
  last_lines_.emplace_back(line);
  if (last_lines_.size() > kLastLines) last_lines_.pop_front();
}

void JobPods::tell_metrics(Container& container, std::string_view line, Time time, bool is_open) {
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
    for (Container& container : pod.containers)
      for (const Json& status : api::container_statuses(pod.object)) {
        const Json* ended = api::terminated_in(status);
        if (api::entry_name(status) != container.name) continue;
        if (!ended || api::reason_of(*ended) != "Completed")
          continue;  // for a failed container, the message may be the end of its log
        for (const std::string& line : split(api::message_of(*ended), '\n')) {
          ShownLines().take({nullptr, {}, {}, line}, [&](std::string_view text, bool is_open) {
            tell_metrics(container, text, system_clock().now(), is_open);
          });
          if (shared_.logs == LogUse::none && !line.empty()) keep(line);
        }
      }
  }
}

/// Whether lines are missing from the log of the pod that ran last. If the job has several ranks, the lowest
/// one counts.
bool JobPods::has_lost_lines() const {
  const Pod* last = nullptr;
  const auto key = [](const Pod& pod) { return std::pair(-pod.rank.value_or(0), *pod.started); };
  for (const auto& [uid, pod] : pods_) {
    const bool counts = !pod.containers.empty() && pod.started && !pod.is_replaced;
    if (counts && (!last || key(pod) > key(*last))) last = &pod;
  }
  if (!last) return true;
  if (!reads_log_of(*last)) return !last->has_ended;
  return !std::all_of(last->containers.begin(), last->containers.end(),
                      [](const Container& container) { return container.is_read; });
}

bool JobPods::all_read() const {
  return std::all_of(pods_.begin(), pods_.end(), [](const auto& entry) {
    const auto& containers = entry.second.containers;
    return std::all_of(containers.begin(), containers.end(),
                       [](const Container& container) { return !container.log || container.log->done(); });
  });
}

bool JobPods::any_runs() const {
  return std::any_of(pods_.begin(), pods_.end(), [](const auto& entry) {
    const Pod& pod = entry.second;
    return pod.started && !pod.is_pending() && !pod.has_ended && !pod.is_gone;
  });
}

long long JobPods::ended() const {
  return std::count_if(pods_.begin(), pods_.end(), [](const auto& entry) { return entry.second.has_ended; });
}

bool JobPods::one_has_succeeded() const {
  return std::any_of(pods_.begin(), pods_.end(),
                     [](const auto& entry) { return entry.second.has_succeeded; });
}

bool JobPods::wait(bool job_is_held) const {
  bool any_new = false;
  for (const auto& [uid, pod] : pods_) {
    if (pod.is_gone || pod.has_ended) continue;
    if (pod.started && !pod.is_pending()) return false;
    any_new = true;
  }
  return !told_running_ || any_new || job_is_held;
}

bool JobPods::Pod::is_pending() const {
  return api::phase_of(object) == "Pending";
}

/// Returns `now` while the pod is running.
Time JobPods::Pod::end(Time now) const {
  if (!has_ended && !is_gone) return now;
  return basic_view_of_pod(object).finished.value_or(is_gone ? gone : now);
}

/// The pod that failed last by itself. If none has failed, the pod that ran last; nullptr if none has run.
const JobPods::Pod* JobPods::judged() const {
  const auto key = [](const Pod& pod) {
    const bool failed = api::phase_of(pod.object) == "Failed" && !disruption_of(pod.object);
    return std::pair(failed, *pod.started);
  };
  const Pod* last = nullptr;
  for (const auto& [uid, pod] : pods_)
    if (pod.started && (!last || key(pod) > key(*last))) last = &pod;
  return last;
}

std::vector<const Json*> JobPods::last_pods() const {
  const Pod* judged = this->judged();
  std::vector<const Json*> pods;
  for (const auto& [uid, pod] : pods_) {
    const auto disruption = disruption_of(pod.object);
    // Times are in whole seconds. A pod that was disrupted in the same second as the start belongs to an
    // earlier attempt.
    const bool ran_then = !judged || (disruption ? disruption->time > *judged->started
                                                 : pod.end(Time::max()) >= *judged->started);
    if (ran_then || &pod == judged) pods.push_back(&pod.object);
  }
  return pods;
}

std::vector<const Json*> JobPods::pods_there() const {
  std::vector<const Json*> pods;
  for (const auto& [uid, pod] : pods_)
    if (!pod.is_gone) pods.push_back(&pod.object);
  return pods;
}

JobReport JobPods::report(JobReport::Kind kind) const {
  JobReport report{kind, name_, system_clock().now()};
  if (const Pod* judged = this->judged()) report.node = api::node_of(judged->object);
  for (const auto& [uid, pod] : pods_) {
    if (!pod.started) continue;
    report.job_ended = std::max(report.job_ended.value_or(Time{}), pod.end(report.time));
    const std::chrono::duration<double> ran = pod.end(report.time) - *pod.started;
    report.gpu_seconds +=
        static_cast<double>(gpus_of_pod(api::spec_of(pod.object))) * std::max(ran.count(), 0.0);
  }
  if (any_runs()) report.job_ended.reset();
  report.lost_lines = kind == JobReport::Kind::ended && has_lost_lines();
  report.last_lines.assign(last_lines_.begin(), last_lines_.end());
  return report;
}

}  // namespace kml::jobs
