#include "job/queue/estimate.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <random>

#include "job/capacity/node_rules.h"
#include "job/queue/durations.h"
#include "job/queue/preemption.h"
#include "job/queue/simulate.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::job {

namespace {

constexpr int kCourses = 50;
/// The range goes from this place in the sorted start times to the same place from the end.
constexpr int kOutside = 3;
/// Limits the simulation if a queue is long and the cluster large: only as many waiting jobs are simulated,
/// from the front, as these limits allow.
constexpr size_t kMostSteps = 200'000, kFewestWaiting = 50;
/// New jobs are simulated like the jobs of the last day, because small jobs take resources that large ones
/// wait for. If the last day had too few jobs, no new jobs are simulated.
constexpr std::chrono::hours kLately{24};
constexpr size_t kFewestComers = 10, kMostArrivals = 400;

/// For running jobs about which nothing is known: the share of jobs that continue for so long that they free
/// nothing in time. Each of the other jobs takes up to `kMostTimes` times as long again.
constexpr double kEndless = 0.5, kMostTimes = 1000;

class Estimator {
 public:
  Estimator(JobQueue& queue, std::span<const Json> nodes, Time now)
      : queue_(queue), nodes_(nodes), now_(now) {}

  StartEstimates run() {
    const std::vector<const QueueEntry*>& entries = queue_.entries();
    bool any_limit = false;
    for (const QueueEntry* entry : entries) any_limit = any_limit || entry->ends_by || entry->ends_at;
    queue_.each([&](const Json&, const std::vector<Json>& pods, const QueueEntry& entry) {
      if (has_ended(entry.job.state)) history_.add(entry.job, pods);
    });
    if (nodes_.empty() || (!any_limit && history_.empty())) return {};
    add_nodes();
    add_running();
    add_waiting(entries);
    if (waiting_.empty() || any_preempts()) return {};
    add_comers();
    return estimates();
  }

 private:
  Needs needs_of(const api::Amounts& amounts) {
    Needs needs(resources_.size());
    for (const auto& [name, amount] : amounts) {
      const auto known = resources_.find(name);
      // A request for a resource that no node has can never be met.
      if (known == resources_.end()) return Needs(resources_.size(), INT64_MAX / 2);
      needs[known->second] = amount;
    }
    return needs;
  }

  void add_nodes() {
    std::vector<api::Amounts> all;
    for (const Json& node : nodes_) all.push_back(api::allocatable_of(node));
    for (const api::Amounts& amounts : all)
      for (const auto& [name, amount] : amounts) resources_.try_emplace(name, resources_.size());
    for (size_t i = 0; i < all.size(); ++i) {
      cluster_.free.push_back(needs_of(all[i]));
      node_index_[api::name_of(nodes_[i])] = i;
    }
  }

  void add_running() {
    queue_.each([&](const Json&, const std::vector<Json>& pods, const QueueEntry& entry) {
      bool is_new = true;
      size_t of_job = 0;
      for (const Json& pod : pods) {
        const auto node = node_index_.find(api::node_of(pod));
        if (node == node_index_.end() || api::pod_has_ended(pod)) continue;
        Needs holds = needs_of(api::pod_requests(api::spec_of(pod)));
        for (size_t i = 0; i < holds.size(); ++i) cluster_.free[node->second][i] -= holds[i];
        if (api::is_being_deleted(pod)) {
          add_stopping(pod, node->second, std::move(holds));
          continue;
        }
        if (std::exchange(is_new, false)) {
          running_.push_back(duration_of(entry));
          of_job = running_.size() - 1;
        }
        on_nodes_.push_back({node->second, holds, api::priority_of(pod), false});
        cluster_.running.push_back({node->second, std::move(holds), of_job});
      }
    });
  }

  /// A stopping pod ends by its deletion time. If that time has long passed, the pod's node may be lost, and
  /// its resources are not expected to become free.
  void add_stopping(const Json& pod, size_t node, Needs holds) {
    const Time end = api::time_at(pod, {"metadata", "deletionTimestamp"}).value_or(now_);
    if (end + std::chrono::minutes(1) < now_) return;
    Duration duration;
    duration.ends_in = std::max(std::chrono::ceil<seconds>(end - now_), seconds(1));
    running_.push_back(duration);
    on_nodes_.push_back({node, holds, api::priority_of(pod), true});
    cluster_.running.push_back({node, std::move(holds), running_.size() - 1});
    if (api::condition_is_true(pod, "DisruptionTarget"))
      preempted_ = std::max(preempted_.value_or(LLONG_MIN), api::priority_of(pod));
  }

  /// Whether the scheduler may soon preempt running jobs for a waiting one. These jobs will then wait
  /// themselves, so the expected order no longer applies.
  bool any_preempts() const {
    Preemption preemption(cluster_);
    for (const OnNode& pod : on_nodes_) preemption.add(pod.node, pod.holds, pod.priority, pod.is_stopping);
    for (size_t i = 0; i < waiting_.size(); ++i) {
      const QueueEntry& entry = *waiting_[i].first;
      if (entry.may_preempt && preemption.find_victims(cluster_.waiting[i], api::is_gang(*entry.object)))
        return true;
    }
    return false;
  }

  Duration duration_of(const QueueEntry& entry) {
    Duration duration;
    duration.history = history_.of(entry.job);
    const Time start = entry.job.started.value_or(now_);
    duration.elapsed = std::chrono::duration_cast<seconds>(std::max(now_ - start, nanoseconds(0)));
    const auto from_now = [&](Time time) { return std::chrono::duration_cast<seconds>(time - now_); };
    if (entry.ends_by) duration.limit = from_now(*entry.ends_by) + duration.elapsed;
    if (entry.ends_at) duration.told_left = from_now(*entry.ends_at);
    return duration;
  }

  /// Whether the entry only waits for free resources.
  static bool waits_for_room(const QueueEntry& entry) {
    const JobView& job = entry.job;
    const bool by_scheduler = job.message.empty()
                                  ? job.cause.empty() && job.nodes.empty()
                                  : job.message.find("Insufficient") != std::string::npos ||
                                        job.message.find("Too many pods") != std::string::npos;
    return entry.position > 0 && entry.queue.empty() && by_scheduler;
  }

  void add_waiting(const std::vector<const QueueEntry*>& entries) {
    const size_t most = std::max(kFewestWaiting, kMostSteps / std::max<size_t>(cluster_.running.size(), 1));
    for (const QueueEntry* entry : entries) {
      if (!waits_for_room(*entry) || !entry->object || waiting_.size() == most) continue;
      each_pod_template(*entry->object, [&](const Json& pod, int count) {
        cluster_.waiting.push_back({shape_of(api::spec_of(pod)), count, entry->priority});
        waiting_.push_back({entry, duration_from_now(entry->job, *entry->object)});
      });
    }
  }

  /// The duration of a job like this one, from its start.
  Duration whole_duration(const JobView& job, const Json& object) {
    Duration duration;
    duration.history = history_.of(job);
    for (const auto path :
         {std::initializer_list<std::string_view>{"spec", "activeDeadlineSeconds"},
          std::initializer_list<std::string_view>{"spec", "runPolicy", "activeDeadlineSeconds"}})
      if (const long long limit = int_at(object, path); limit > 0) duration.limit = seconds(limit);
    return duration;
  }

  /// A Job's time limit may already be running while the Job waits.
  Duration duration_from_now(const JobView& job, const Json& object) {
    Duration duration = whole_duration(job, object);
    if (const auto start = api::started_at(object); start && duration.limit)
      *duration.limit -= std::chrono::duration_cast<seconds>(now_ - *start);
    return duration;
  }

  /// Collects the jobs that were submitted in the last day, and their rate.
  void add_comers() {
    Time first = now_;
    queue_.each_job([&](const Json& job, const QueueEntry& entry) {
      if (job.is_null() || entry.job.created < now_ - kLately) return;
      const Duration duration = whole_duration(entry.job, job);
      if (!duration.is_known()) return;
      first = std::min(first, entry.job.created);
      each_pod_template(job, [&](const Json& pod, int count) {
        comers_.push_back({{shape_of(api::spec_of(pod)), count, entry.priority}, duration});
      });
    });
    if (comers_.size() < kFewestComers) comers_.clear();
    if (!comers_.empty())
      gap_ = std::chrono::duration<double>(now_ - first).count() / static_cast<double>(comers_.size());
  }

  Course course_by(const std::function<double()>& random) const {
    const double share = share_of_limits(random);
    const auto left = [&](const Duration& duration) {
      return duration.is_known() ? std::optional(duration.left(random, share)) : std::nullopt;
    };
    // The remaining time of a running job. Even a job that has run for an hour and might run forever may end
    // within the next hour.
    const auto left_of_running = [&](const Duration& duration) {
      if (duration.is_known() || random() < kEndless) return left(duration);
      const double times = std::min(1 / (1 - random()) - 1, kMostTimes);
      return std::optional(
          seconds(static_cast<long long>(static_cast<double>(duration.elapsed.count()) * times)));
    };
    Course course;
    for (const Duration& duration : running_) course.left.push_back(left_of_running(duration));
    for (const auto& [entry, duration] : waiting_) course.takes.push_back(left(duration));
    for (double at = 0; !comers_.empty() && course.arrivals.size() < kMostArrivals;) {
      at -= std::log(1 - random()) * gap_;
      const auto& [job, duration] =
          comers_[static_cast<size_t>(random() * static_cast<double>(comers_.size()))];
      course.arrivals.push_back({seconds(static_cast<long long>(at)), job, left(duration)});
    }
    return course;
  }

  size_t shape_of(const Json& spec) {
    const std::string key = spec.dump();
    if (const auto known = shapes_.find(key); known != shapes_.end()) return known->second;
    std::vector<bool> suits;
    for (const Json& node : nodes_) suits.push_back(refusal_of_node(node, spec).empty());
    cluster_.node_suits.push_back(std::move(suits));
    cluster_.shapes.push_back(needs_of(api::pod_requests(spec)));
    return shapes_[key] = cluster_.shapes.size() - 1;
  }

  StartEstimates estimates() {
    std::mt19937 generator(1);  // a fixed seed, so that the same queue always gets the same estimate
    const std::function<double()> random = [&] {
      return std::uniform_real_distribution<double>()(generator);
    };
    std::map<const QueueEntry*, std::vector<seconds>> starts;
    for (int i = 0; i < kCourses; ++i) {
      const auto at = simulate(cluster_, course_by(random));
      // a job has started when its last part has started
      std::map<const QueueEntry*, std::optional<seconds>> whole;
      for (size_t j = 0; j < at.size(); ++j) {
        const auto [part, is_first] = whole.try_emplace(waiting_[j].first, at[j]);
        if (!is_first && part->second)
          part->second = at[j] ? std::optional(std::max(*part->second, *at[j])) : std::nullopt;
      }
      for (const auto& [entry, start] : whole)
        if (start) starts[entry].push_back(*start);
    }
    StartEstimates estimates;
    for (auto& [entry, times] : starts) {
      std::sort(times.begin(), times.end());
      times.resize(kCourses, seconds::max());  // adds the simulated courses in which the entry never started
      const seconds early = times[kOutside - 1], late = times[kCourses - kOutside];
      // A preempted job will wait again, ahead of lower-priority jobs.
      if (preempted_ && entry->priority < *preempted_) continue;
      if (late != seconds::max()) estimates[id_of(*entry)] = {now_ + early, now_ + late};
    }
    return estimates;
  }

  struct OnNode {
    size_t node;
    Needs holds;
    long long priority;
    bool is_stopping;
  };

  JobQueue& queue_;
  const std::span<const Json> nodes_;
  const Time now_;
  DurationHistory history_;
  Cluster cluster_;
  std::map<std::string, size_t> resources_, shapes_;
  std::map<std::string, size_t> node_index_;
  std::vector<Duration> running_;
  std::vector<OnNode> on_nodes_;
  std::optional<long long> preempted_;  ///< the highest priority of the jobs that are being preempted
  std::vector<std::pair<const QueueEntry*, Duration>> waiting_;
  std::vector<std::pair<Cluster::Waiting, Duration>> comers_;
  double gap_ = 0;  ///< the average time between two arrivals, in seconds
};

}  // namespace

StartEstimates estimate_starts(JobQueue& queue, std::span<const Json> nodes, Time now) {
  return Estimator(queue, nodes, now).run();
}

}  // namespace kml::job
