#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/core/json.h"

namespace kml::local {

/// A pod as the scheduler sees it.
struct PodRequest {
  std::string uid;
  int priority = 0;
  uint64_t order = 0;  ///< the smaller waits longer, among equals in priority
  api::Amounts resources;
  std::string gang;      ///< pods of one gang start, and are preempted, all or none; empty means alone
  size_t gang_size = 1;  ///< pods that the gang has when it is whole
  /// Of its spec what decides whether the node suits it: nodeSelector, affinity and tolerations.
  Json placement;
  bool may_preempt = true;  ///< preemptionPolicy is not Never
  bool nominated = false;   ///< pods were preempted for it already (status.nominatedNodeName)
};

struct NodeInfo {
  Json node;  ///< its name, labels, taints and cordon
  api::Amounts allocatable;
};

/// What to do now, in this order.
struct Decision {
  std::vector<std::string> start;  ///< uids
  struct Preemption {
    std::string victim, preemptor;  ///< uids
  };
  std::vector<Preemption> preempt;
  struct Refusal {
    std::string uid, message;  ///< worded as kube-scheduler does
  };
  /// Pods whose answer is another than the last one they got.
  std::vector<Refusal> unschedulable;
  size_t looks = 0;  ///< at pods, to find all that: what the pass has cost
};

/// Decides which pods run on the one node: by priority, then by age; one that does not fit does not hold up
/// smaller ones behind it, unless it waits for pods that are being preempted for it. Pure: it starts
/// nothing and knows no clock. Pods that ask for the same are looked at once a pass, so that 10,000 waiting
/// ones cost as much as their kinds.
class Scheduler {
 public:
  void set_node(NodeInfo node) { node_ = std::move(node); }

  void add_pending(PodRequest pod);
  /// A pod that holds its resources: one found at start, or one of a Decision's `start`, which need not be
  /// said.
  void add_running(const PodRequest& pod);
  /// It is being ended: it is not a victim any more, and its resources will come free.
  void set_terminating(const std::string& uid);
  /// Ended or deleted: pending or running, it is forgotten.
  void remove(const std::string& uid);

  Decision schedule();

  size_t pending() const { return pending_.size(); }

 private:
  struct Pending {
    PodRequest pod;
    std::string shape;
    std::string answer;  ///< the last message
  };
  struct Running {
    PodRequest pod;
    bool terminating = false;
  };
  struct Age {
    int priority;
    uint64_t order;
    bool operator<(const Age& other) const {
      return priority != other.priority ? priority > other.priority : order < other.order;
    }
  };
  using Queue = std::map<Age, std::string>;  ///< uids

  using Unit = std::vector<std::string>;  ///< uids of pods that start, or end, together

  struct Victim {
    Unit pods;
    int priority;
    uint64_t order;
    api::Amounts resources;
  };

  /// The pending pods that start together with this one; empty if its gang is not whole.
  Unit unit_of(const PodRequest& pod) const;
  api::Amounts sum_of(const Unit& pending) const;
  void start(const Unit& unit, Decision& decision);
  /// Victims that make room of that size, as few as it takes; empty if there are not enough.
  std::vector<Victim> find_victims(int priority, const api::Amounts& missing) const;
  void answer(const std::string& uid, const std::string& message, Decision& decision);

  NodeInfo node_;
  api::Amounts used_;
  std::unordered_map<std::string, Pending> pending_;
  std::unordered_map<std::string, Running> running_;
  std::unordered_map<std::string, Queue> queues_;                 ///< pending pods by shape
  std::unordered_map<std::string, std::set<std::string>> gangs_;  ///< all known pods
  std::set<std::string> fresh_;                                   ///< pending pods that never got an answer
};

}  // namespace kml::local
