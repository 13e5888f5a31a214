// A simulation of the scheduler: jobs end after their durations, new jobs arrive in between, and freed
// resources go to the first waiting job that fits. A queue may have thousands of jobs, and each estimate
// needs many simulated courses. So the simulation uses plain numbers, and for a waiting job only examines
// nodes on which resources were just freed.

#include "job/queue/simulate.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace kml::job {

namespace {

using std::chrono::seconds;

void add(Needs& amounts, const Needs& more, int64_t sign) {
  for (size_t i = 0; i < amounts.size(); ++i) amounts[i] += sign * more[i];
}

struct Release {
  seconds at;
  size_t node;
  const Needs* holds;
  bool operator>(const Release& other) const { return at > other.at; }
};

class Simulation {
 public:
  Simulation(const Cluster& cluster, const Course& course)
      : cluster_(cluster), course_(course), free_(cluster.free), all_nodes_(free_.size()) {
    for (const Cluster::Running& pod : cluster.running)
      if (const auto& left = course.left[pod.job]) releases_.push({*left, pod.node, &pod.holds});
    for (size_t i = 0; i < cluster.waiting.size(); ++i)
      jobs_.push_back({&cluster.waiting[i], course.takes[i]});
    for (const Course::Arrival& arrival : course.arrivals) jobs_.push_back({&arrival.job, arrival.takes});
    for (size_t i = 0; i < cluster.waiting.size(); ++i) open_.push_back(i);
    std::iota(all_nodes_.begin(), all_nodes_.end(), size_t{0});
    left_ = open_.size();
  }

  std::vector<std::optional<seconds>> run() {
    fill(all_nodes_, seconds(0));
    size_t arrived = 0;
    while (left_ > 0 && (!releases_.empty() || arrived < course_.arrivals.size())) {
      const bool arrives = arrived < course_.arrivals.size() &&
                           (releases_.empty() || course_.arrivals[arrived].at < releases_.top().at);
      if (!arrives) {
        release();
        continue;
      }
      arrive(cluster_.waiting.size() + arrived, course_.arrivals[arrived].at);
      ++arrived;
    }
    std::vector<std::optional<seconds>> starts;
    for (size_t i = 0; i < cluster_.waiting.size(); ++i) starts.push_back(jobs_[i].start);
    return starts;
  }

 private:
  struct Job {
    const Cluster::Waiting* wants;
    std::optional<seconds> takes;
    std::vector<size_t> nodes = {};  ///< the nodes of the job's placed pods
    std::optional<seconds> start = {};
  };

  void arrive(size_t job, seconds now) {
    if (place(job, all_nodes_, now)) return;
    const long long priority = jobs_[job].wants->priority;
    const auto behind = std::find_if(open_.begin(), open_.end(),
                                     [&](size_t other) { return jobs_[other].wants->priority < priority; });
    open_.insert(behind, job);
  }

  /// Frees all resources whose jobs end at the same time, then places waiting jobs.
  void release() {
    const seconds now = releases_.top().at;
    std::vector<size_t> freed;
    for (; !releases_.empty() && releases_.top().at == now; releases_.pop()) {
      add(free_[releases_.top().node], *releases_.top().holds, +1);
      freed.push_back(releases_.top().node);
    }
    std::sort(freed.begin(), freed.end());
    freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
    fill(freed, now);
  }

  /// Tries to place waiting jobs on these nodes; only these have newly freed resources.
  void fill(const std::vector<size_t>& nodes, seconds now) {
    std::erase_if(open_, [&](size_t job) { return place(job, nodes, now); });
  }

  /// Places the job's remaining pods. Returns whether all its pods have a node now.
  bool place(size_t index, const std::vector<size_t>& nodes, seconds now) {
    Job& job = jobs_[index];
    const size_t shape = job.wants->shape;
    const Needs& needs = cluster_.shapes[shape];
    while (static_cast<int>(job.nodes.size()) < job.wants->pods) {
      const size_t* best = nullptr;
      for (const size_t& node : nodes)
        if (cluster_.node_suits[shape][node] && fits(needs, free_[node]) &&
            (!best || free_[node] > free_[*best]))  // spreads pods, as kube-scheduler does
          best = &node;
      if (!best) return false;
      add(free_[*best], needs, -1);
      job.nodes.push_back(*best);
    }
    job.start = now;
    if (index < cluster_.waiting.size()) --left_;
    if (job.takes)
      for (size_t node : job.nodes) releases_.push({now + *job.takes, node, &needs});
    return true;
  }

  const Cluster& cluster_;
  const Course& course_;
  std::vector<Needs> free_;
  std::vector<size_t> all_nodes_;
  std::vector<Job> jobs_;     ///< the waiting jobs, then the arriving ones
  std::vector<size_t> open_;  ///< the jobs waiting now, in order
  size_t left_ = 0;           ///< how many of the jobs that were waiting at first have not started
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
};

}  // namespace

std::vector<std::optional<seconds>> simulate(const Cluster& cluster, const Course& course) {
  return Simulation(cluster, course).run();
}

}  // namespace kml::job
