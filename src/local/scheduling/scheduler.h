#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/quantity.h"

namespace kml::local {

/// The order in which pods of the same priority wait. Kubernetes' creation times have whole seconds. Pods of
/// the same second are in the order in which kml submitted their jobs, and then in the order of the jobs'
/// names, because `kml queue` cannot see any other order.
struct WaitingOrder {
  std::string created;    ///< the pod's creation time, in RFC 3339
  std::string submitted;  ///< the time at which kml submitted the job, in microseconds; empty if kml did not
                          ///< submit it
  std::string job;        ///< "namespace/name"
  uint64_t arrival = 0;   ///< a pod that arrived earlier has a smaller number
  bool operator<(const WaitingOrder& other) const;
};

/// The data about a pod that the scheduler needs.
struct PodRequest {
  std::string uid;
  int priority = 0;
  WaitingOrder order;
  api::Amounts resources;
  /// pods in a gang are started together; empty for a pod that belongs to no gang
  std::string gang;
  size_t gang_size = 1;  ///< how many pods the complete gang has
  /// The gang may have more pods, which start on their own once gang_size pods are running.
  bool is_gang_size_minimum = false;
  bool ends_with_gang = true;  ///< the gang's pods are preempted together
  /// The parts of the pod's spec that decide whether the node is suitable: nodeSelector, affinity and
  /// tolerations.
  Json placement;
  bool may_preempt = true;  ///< false if preemptionPolicy is Never
  bool nominated = false;  ///< other pods have already been preempted for this pod (status.nominatedNodeName)
};

struct NodeInfo {
  Json node;  ///< the node's name, labels, taints and unschedulable
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
    std::string uid, message;  ///< the message is worded as by kube-scheduler
  };
  std::vector<std::string> no_longer_nominated;  ///< uids of pods for which nothing is preempted any more
  /// Pods whose message has changed.
  std::vector<Refusal> unschedulable;
  size_t looks = 0;  ///< how many pods were examined, which is the cost of the pass
};

/// Decides which pods run on the single node, by priority, then by age. A pod that does not fit does not
/// block smaller pods behind it, unless pods are being preempted for it. Has no side effects, and does not
/// read the clock. Waiting pods with the same requests are usually examined once per pass, so the cost for
/// 10,000 of them depends on how many different requests they have.
class Scheduler {
 public:
  void set_node(NodeInfo node) { node_ = std::move(node); }

  void add_pending(PodRequest pod);
  /// Adds a pod that the server found at its start and that already holds its resources. Not needed for pods
  /// in a Decision's `start`.
  void add_running(const PodRequest& pod);
  /// Marks a pod as ending: it can no longer become a victim, and its resources will be freed.
  void set_terminating(const std::string& uid);
  /// Removes a pending or running pod, because it has ended or was deleted.
  void remove(const std::string& uid);

  /// Whether a running pod will end soon, although it is not marked as ending: its job was cancelled, for
  /// example. Such a pod is not preempted, because its resources will be free anyway.
  using IsEnding = std::function<bool(const std::string& uid)>;
  Decision schedule(const IsEnding& is_ending = {});

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
    WaitingOrder order;
    bool operator<(const Age& other) const {
      return priority != other.priority ? priority > other.priority : order < other.order;
    }
  };
  using Queue = std::map<Age, std::string>;  ///< uids
  using Uids = std::set<std::string>;

  using Unit = std::vector<std::string>;  ///< the uids of pods that are started or ended together

  struct Victim {
    Unit pods;
    int priority;
    WaitingOrder order;
    api::Amounts resources;
  };

  /// This pod and then the pending pods that must start together with it; empty if the pod's gang is
  /// incomplete.
  Unit unit_of(const PodRequest& pod) const;
  api::Amounts sum_of(const Unit& pending) const;
  void start(const Unit& unit, Decision& decision);
  /// Whether a running pod has a lower priority.
  bool runs_below(int priority) const;
  /// The running pods that are not terminating, but will end soon.
  Uids find_ending(const IsEnding& is_ending) const;
  /// Victims that together free `missing`, none of which could be spared: a single one if one is enough,
  /// otherwise the least important ones. Empty if not even all possible victims together would free it. Pods
  /// in `ending` are not victims.
  std::vector<Victim> find_victims(int priority, const api::Amounts& missing, const Uids& ending) const;
  void answer(const std::string& uid, const std::string& message, Decision& decision);

  NodeInfo node_;
  api::Amounts used_;
  std::unordered_map<std::string, Pending> pending_;
  std::unordered_map<std::string, Running> running_;
  std::unordered_map<std::string, Queue> queues_;                 ///< pending pods by shape
  std::unordered_map<std::string, std::set<std::string>> gangs_;  ///< all known pods of each gang
  std::set<std::string> fresh_;                                   ///< pending pods without any message so far
};

}  // namespace kml::local
