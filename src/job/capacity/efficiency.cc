#include "job/capacity/efficiency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "job/views/run_spans.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

double in_seconds(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

template <typename Value>
void raise(std::optional<Value>& most, Value value) {
  most = most ? std::max(*most, value) : value;
}

/// Reads the requests of the first pod template that has requests.
void read_requests(const Json& job, Efficiency& found) {
  const auto set = [](const api::Amounts& amounts, const char* name, auto& value, double units) {
    using Value = typename std::decay_t<decltype(value)>::value_type;
    if (const auto amount = amounts.find(name); !value && amount != amounts.end())
      value = static_cast<Value>(static_cast<double>(amount->second) / units);
  };
  each_pod_template(job, [&](const Json& pod, int) {
    const api::Amounts requests = api::pod_requests(api::spec_of(pod));
    set(requests, "cpu", found.cpus_asked, api::kMilli);
    set(requests, "memory", found.memory_asked, api::kMilli);
    set(api::pod_limits(api::spec_of(pod)), "memory", found.memory_limit, api::kMilli);
    if (const long long limit = api::deadline_in(api::spec_of(pod)); limit > 0 && !found.time_limit)
      found.time_limit = std::chrono::seconds(limit);
  });
  for (const long long limit : {int_at(job, {"spec", "activeDeadlineSeconds"}),
                                int_at(job, {"spec", "runPolicy", "activeDeadlineSeconds"})})
    if (limit > 0) found.time_limit = std::chrono::seconds(limit);
}

/// Sums up the usage of pods.
class Sum {
 public:
  Sum(Efficiency& found, const std::map<std::string, PodUsage>& usage, const RunTimes& times, Time now)
      : found_(found),
        usage_(usage),
        now_(now),
        first_start_(times.first_start),
        last_end_(times.last_end),
        suspended_(times.suspended),
        is_task_(times.are_of_task),
        spans_(times.of_attempts) {}

  void add(const Json& pod) {
    const PodView view = basic_view_of_pod(pod);
    if (!view.started) return;
    ++found_.pods_seen;
    const bool runs = api::phase_of(pod) == "Running";
    const Time end = view.finished.value_or(now_);
    const nanoseconds ran = std::max(end - *view.started, nanoseconds(0));
    found_.pod_time += ran;
    spans_.emplace_back(*view.started, end);
    raise(last_end_, end);
    first_start_ = first_start_ ? std::min(*first_start_, *view.started) : *view.started;
    const auto found = usage_.find(api::full_name_of(pod));
    const PodUsage* measured = found == usage_.end() ? nullptr : &found->second;
    if (measured && measured->gpu_percent) gpu_percents_.push_back(*measured->gpu_percent);
    auto used = runs && measured && measured->so_far ? measured->so_far : recorded_usage(pod);
    // the usage of earlier runs alone would be misleading
    if (runs && !(measured && measured->so_far)) used.reset();
    if (used)
      add_used(*used, ran);
    else if (measured && runs)
      add_now(*measured);
    else
      ++(runs ? running_unseen_ : ended_unseen_);
  }

  void finish() {
    if (!first_start_ && has_ended(found_.job.state)) {  // a cluster keeps no deleted pods
      first_start_ = found_.job.started;
      last_end_ = found_.job.finished;
    }
    if (kept_time_ > nanoseconds(0)) found_.cpus_mean = cpu_seconds_ / in_seconds(kept_time_);
    if (first_start_) {
      found_.waited = std::max(*first_start_ - found_.job.created, nanoseconds(0));
      found_.ran = is_task_ && !spans_.empty()
                       ? time_covered(spans_)
                       : std::max(last_end_.value_or(now_) - *first_start_, nanoseconds(0));
    } else {
      const Time end = found_.job.finished.value_or(suspended_.value_or(now_));
      found_.waited = std::max(end - found_.job.created, nanoseconds(0));
    }
    if (!gpu_percents_.empty()) {
      found_.gpu_percent = 0;
      for (double percent : gpu_percents_)
        *found_.gpu_percent += percent / static_cast<double>(gpu_percents_.size());
    }
    tell_unseen();
  }

 private:
  void add_used(const api::ContainerUsage& used, nanoseconds ran) {
    cpu_seconds_ += used.cpu_seconds;
    kept_time_ += ran;
    // Times are in whole seconds, so a run of less than a second has no meaningful rate.
    if (ran >= std::chrono::seconds(1)) raise(found_.cpus_most, used.cpu_seconds / in_seconds(ran));
    raise(found_.memory_peak, used.peak_process);
    if (used.peak_cgroup > 0) raise(found_.memory_with_files, used.peak_cgroup);
  }

  void add_now(const PodUsage& measured) {
    if (measured.cpus) raise(found_.cpus_now, *measured.cpus);
    if (measured.memory) raise(found_.memory_now, *measured.memory);
    is_sampled_ = true;
  }

  void tell_unseen() {
    const auto usage = [](int count, std::string_view kind) {
      return fmt::format("usage of {} {} pod{}: ", count, kind, count == 1 ? "" : "s");
    };
    std::vector<std::string>& unseen = found_.unseen;
    if (is_sampled_)
      unseen.emplace_back("mean and peak: the cluster measures only the current usage, and keeps no history");
    if (running_unseen_ > 0)
      unseen.push_back(usage(running_unseen_, "running") +
                       "the cluster has no metrics, or you may not read the metrics");
    if (ended_unseen_ > 0)
      unseen.push_back(usage(ended_unseen_, "finished") + "this cluster keeps no record of it");
    if (found_.pods_seen == 0)
      unseen.emplace_back(first_start_ || found_.job.state == State::succeeded
                              ? "usage: the job's pods are deleted, and their records with them"
                              : "usage: no pod has started");
    if (found_.gpus_asked > 0 && !found_.gpu_percent && found_.pods_seen > 0)
      unseen.emplace_back(
          "usage of the GPUs: no value of the metric DCGM_FI_DEV_GPU_UTIL can be read for these pods");
  }

  Efficiency& found_;
  const std::map<std::string, PodUsage>& usage_;
  Time now_;
  std::optional<Time> first_start_, last_end_, suspended_;
  bool is_task_;
  std::vector<std::pair<Time, Time>> spans_;
  nanoseconds kept_time_{};
  double cpu_seconds_ = 0;
  std::vector<double> gpu_percents_;
  int running_unseen_ = 0, ended_unseen_ = 0;
  bool is_sampled_ = false;
};

/// Rounds up to a usual amount such as "700Mi" or "3Gi".
std::string rounded_memory(double bytes) {
  constexpr double kMebi = 1024.0 * 1024;
  const double mebis = bytes / kMebi;
  if (mebis <= 1000) return fmt::format("{:.0f}Mi", std::max(std::ceil(mebis / 50) * 50, 50.0));
  return fmt::format("{:.0f}Gi", std::ceil(mebis / 1024));
}

// headroom above the observed usage, because the next run may need a little more
constexpr double kMargin = 1.25;

void advise_memory(Efficiency& found) {
  const auto peak = found.memory_peak;
  if (!peak || *peak == 0) return;
  const double wanted = static_cast<double>(*peak) * kMargin;
  const std::string flag = "--memory " + rounded_memory(wanted);
  if (found.memory_limit && static_cast<double>(*peak) > 0.9 * static_cast<double>(*found.memory_limit))
    found.advice.push_back(flag + ": the job came close to its limit");
  else if (found.memory_asked && wanted * 2 < static_cast<double>(*found.memory_asked))
    found.advice.push_back(flag + " is enough");
}

void advise_cpus(Efficiency& found) {
  if (!found.cpus_most || !found.cpus_asked || *found.cpus_asked <= 0) return;
  const double wanted = std::max(std::ceil(*found.cpus_most * kMargin * 2) / 2, 0.5);
  if (wanted * 2 <= *found.cpus_asked)
    found.advice.push_back(fmt::format("--cpu {:g} is enough", wanted));
  else if (*found.cpus_most > 1.2 * *found.cpus_asked)
    found.advice.push_back(fmt::format("--cpu {:g}: the job used more than it requested", wanted));
}

/// Suggests a time limit, but only for a job that has succeeded.
void advise_time(Efficiency& found) {
  if (!found.time_limit || found.job.state != State::succeeded) return;
  const double used = in_seconds(found.ran), limit = in_seconds(*found.time_limit);
  const double wanted = std::max(std::ceil(used * kMargin / 60) * 60, 60.0);
  if (used > 0.9 * limit)
    found.advice.push_back(fmt::format("--time-limit {}: the job came close to its limit",
                                       short_duration(std::chrono::seconds(static_cast<long long>(wanted)))));
  else if (wanted * 4 < limit)
    found.advice.push_back(fmt::format("--time-limit {} is enough",
                                       short_duration(std::chrono::seconds(static_cast<long long>(wanted)))));
}

}  // namespace

Efficiency efficiency_of(const Json& job, std::span<const Json* const> pods,
                         const std::map<std::string, PodUsage>& usage, const RunTimes& times, Time now) {
  Efficiency found;
  found.job = basic_view_of_job(job, pods);
  found.gpus_asked = found.job.gpus;
  read_requests(job, found);
  Sum sum(found, usage, times, now);
  for (const Json* pod : pods) sum.add(*pod);
  sum.finish();
  advise_cpus(found);
  advise_memory(found);
  advise_time(found);
  return found;
}

}  // namespace kml::job
