#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/quantity.h"

namespace kml::local {

/// The scheduler's view of a pod.
struct PodRequest {
  std::string uid;
  int priority = 0;
  uint64_t order = 0;  ///< a pod with a smaller number has waited longer, within a priority
  api::Amounts resources;
  std::string gang;      ///< pods of a gang are started and preempted together; empty for a single pod
  size_t gang_size = 1;  ///< number of pods in the complete gang
  /// The parts of its spec that decide whether the node is suitable: nodeSelector, affinity and tolerations.
  Json placement;
  bool may_preempt = true;  ///< false if preemptionPolicy is Never
  bool nominated = false;   ///< pods have already been preempted for it (status.nominatedNodeName)
};

struct NodeInfo {
  Json node;  ///< with name, labels, taints and unschedulable
  api::Amounts allocatable;
};

/// The actions to take now, in this order.
struct Decision {
  std::vector<std::string> start;  ///< uids
  struct Preemption {
    std::string victim, preemptor;  ///< uids
  };
  std::vector<Preemption> preempt;
  struct Refusal {
    std::string uid, message;  ///< the message is in kube-scheduler's words
  };
  /// Pods with a different answer than the last one.
  std::vector<Refusal> unschedulable;
  size_t looks = 0;  ///< number of pods examined: the cost of the pass
};

/// Decides which pods run on the single node, by priority, then by age. A pod that does not fit does not
/// block smaller pods behind it, unless pods are being preempted for it. Has no side effects and no clock.
/// Pods with the same requests are examined once per pass, so the cost of 10,000 waiting pods only depends on
/// how many different requests they have.
class Scheduler {
 public:
  void set_node(NodeInfo node) { node_ = std::move(node); }

  void add_pending(PodRequest pod);
  /// Adds a pod that holds its resources and was found at start. Not needed for the pods in a Decision's
  /// `start`.
  void add_running(const PodRequest& pod);
  /// Marks a pod as ending: it cannot be a victim any more, and its resources will become free.
  void set_terminating(const std::string& uid);
  /// Removes a pending or running pod that has ended or was deleted.
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

  using Unit = std::vector<std::string>;  ///< uids of pods that are started or ended together

  struct Victim {
    Unit pods;
    int priority;
    uint64_t order;
    api::Amounts resources;
  };

  /// The pending pods that start together with this one; empty if its gang is incomplete.
  Unit unit_of(const PodRequest& pod) const;
  api::Amounts sum_of(const Unit& pending) const;
  void start(const Unit& unit, Decision& decision);
  /// The fewest victims that free `missing`; empty if all possible victims together do not.
  std::vector<Victim> find_victims(int priority, const api::Amounts& missing) const;
  void answer(const std::string& uid, const std::string& message, Decision& decision);

  NodeInfo node_;
  api::Amounts used_;
  std::unordered_map<std::string, Pending> pending_;
  std::unordered_map<std::string, Running> running_;
  std::unordered_map<std::string, Queue> queues_;                 ///< pending pods by shape
  std::unordered_map<std::string, std::set<std::string>> gangs_;  ///< all known pods of each gang
  std::set<std::string> fresh_;                                   ///< pending pods without an answer so far
};

}  // namespace kml::local
