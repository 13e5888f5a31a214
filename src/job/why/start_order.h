#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "job/why/facts.h"
#include "job/why/room.h"
#include "kml/job/why/cause.h"

namespace kml::job {

/// The jobs whose pods wait for a node, in the order in which the scheduler tries them, and a simulation of
/// what it does once some running jobs have ended: kube-scheduler places pod by pod, the embedded server
/// places gangs as a whole. Amounts are numbers, because a search for jobs to cancel tries many sets.
class StartOrder {
 public:
  /// `own` are the specs of the job's waiting pods; if none of its pods exists, those of its future pods,
  /// after all others. `rooms` and the facts must outlive this object.
  StartOrder(const Facts& facts, const std::vector<const Json*>& own, const std::vector<Room>& rooms);

  /// The jobs that the scheduler tries before this one, the first one first.
  std::vector<Holder> ahead() const;
  /// How many jobs wait for a node, including this one.
  size_t size() const { return waiters_.size(); }

  /// Whether this job starts before any other, without help, once the pods that are stopping have stopped.
  bool starts_by_itself() const { return starts_by_itself_; }

  /// The fewest running jobs whose end starts this job before any other, with what they hold of the resource:
  /// those without rivals first, then those of low priority. Empty if there are none, or if the nodes and
  /// requests alone do not decide. If given, `also` must be true for them.
  using Condition = std::function<bool(const std::vector<Holder>& ended)>;
  std::vector<Holder> fewest_to_end(const std::string& resource, const Condition& also = {}) const;

  /// The waiting jobs that also have room once `ended` have ended. kube-scheduler does not retry a pod within
  /// podMaxBackoffSeconds, 10 by default, of its last attempt, so they may start before this job.
  std::vector<Holder> rivals(const std::vector<Holder>& ended) const;

 private:
  using Needs = std::vector<int64_t>;
  struct Shape {
    Needs needs;
    std::vector<bool> suits;  ///< by node
  };
  struct Waiter {
    Holder job;
    std::string created, submitted;  ///< the creation of its oldest waiting pod; the time of kml's submit
    std::vector<size_t> shapes = {};
    bool is_own = false;
    bool is_gang = false;           ///< all its pods start together, or none
    bool is_blocked = false;        ///< a gang that lacks pods, or pods that lack a volume
    bool has_other_reason = false;  ///< something other than room may keep its pods waiting
    size_t gang_size = 0;
  };
  struct Candidate {
    Holder job;
    std::vector<std::pair<size_t, Needs>> pods = {};  ///< by node
  };
  using Free = std::vector<Needs>;  ///< by node

  Needs needs_of(const api::Amounts& amounts) const;
  size_t shape_of(const Json& spec);
  void add_resources(const std::vector<const Json*>& specs);
  void add_waiters(const std::vector<const Json*>& own);
  void add_candidates();
  void start_what_fits();
  /// Places all of the pods, or none, on the nodes with the most room, or the least, and reduces `free`.
  bool place(const std::vector<size_t>& shapes, Free& free, bool spreads) const;
  bool fits_on(const Waiter& waiter, const Free& free, const std::set<size_t>& nodes) const;
  enum class Next { none, own, other };
  Next next_with(const Free& free, const std::set<size_t>& nodes, const std::set<JobKey>& gone) const;
  bool starts_first(const std::vector<const Candidate*>& ended) const;
  std::vector<Holder> rivals_without(const std::vector<const Candidate*>& ended) const;
  std::vector<Holder> holders(const std::vector<const Candidate*>& ended, size_t resource) const;
  bool is_decided_by_room(const std::vector<const Json*>& own) const;

  const Facts& facts_;
  const std::vector<Room>& rooms_;
  std::map<std::string, size_t, std::less<>> resources_;
  std::vector<Shape> shapes_;
  std::map<std::string, size_t> shape_index_;
  std::vector<Waiter> waiters_;  ///< in order
  std::vector<Candidate> candidates_;
  Free free_;
  bool is_decided_ = false, starts_by_itself_ = false;
};

}  // namespace kml::job
