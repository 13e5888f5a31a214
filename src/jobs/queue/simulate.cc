#include "jobs/queue/simulate.h"

#include <algorithm>
#include <queue>

namespace kml::jobs {

namespace {

using std::chrono::seconds;

bool fits(const Needs& needs, const Needs& free) {
  for (size_t i = 0; i < needs.size(); ++i)
    if (needs[i] > free[i]) return false;
  return true;
}

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
      : cluster_(cluster),
        course_(course),
        free_(cluster.free),
        jobs_(cluster.waiting.size()),
        starts_(jobs_.size()) {
    for (const Cluster::Running& pod : cluster.running)
      if (const auto& left = course.left[pod.job]) releases_.push({*left, pod.node, &pod.holds});
    for (size_t i = 0; i < jobs_.size(); ++i) open_.push_back(i);
  }

  std::vector<std::optional<seconds>> run() {
    std::vector<size_t> nodes(free_.size());
    for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = i;
    fill(nodes, seconds(0));
    while (!releases_.empty() && !open_.empty()) {
      const seconds now = releases_.top().at;
      std::vector<size_t> freed;  // what comes free at once is given away at once
      for (; !releases_.empty() && releases_.top().at == now; releases_.pop()) {
        add(free_[releases_.top().node], *releases_.top().holds, +1);
        freed.push_back(releases_.top().node);
      }
      std::sort(freed.begin(), freed.end());
      freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
      fill(freed, now);
    }
    return std::move(starts_);
  }

 private:
  struct Job {
    std::vector<size_t> nodes;  ///< of the pods that have one
  };

  /// Only on these nodes has anything come free.
  void fill(const std::vector<size_t>& nodes, seconds now) {
    std::erase_if(open_, [&](size_t job) { return place(job, nodes, now); });
  }

  /// Whether all its pods have a node then.
  bool place(size_t job, const std::vector<size_t>& nodes, seconds now) {
    const Cluster::Waiting& wants = cluster_.waiting[job];
    const Needs& needs = cluster_.shapes[wants.shape];
    while (static_cast<int>(jobs_[job].nodes.size()) < wants.pods) {
      const size_t* best = nullptr;
      for (const size_t& node : nodes)
        if (cluster_.node_suits[wants.shape][node] && fits(needs, free_[node]) &&
            (!best || free_[node] > free_[*best]))  // it spreads pods
          best = &node;
      if (!best) return false;
      add(free_[*best], needs, -1);
      jobs_[job].nodes.push_back(*best);
    }
    starts_[job] = now;
    if (const auto& takes = course_.takes[job])
      for (size_t node : jobs_[job].nodes) releases_.push({now + *takes, node, &needs});
    return true;
  }

  const Cluster& cluster_;
  const Course& course_;
  std::vector<Needs> free_;
  std::vector<Job> jobs_;
  std::vector<std::optional<seconds>> starts_;
  std::vector<size_t> open_;  ///< those that wait, in order
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
};

}  // namespace

std::vector<std::optional<seconds>> simulate(const Cluster& cluster, const Course& course) {
  return Simulation(cluster, course).run();
}

}  // namespace kml::jobs
