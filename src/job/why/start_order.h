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
/// what the scheduler does once some running jobs have ended. kube-scheduler places one pod after another;
/// the embedded server places gangs as a whole. Amounts are plain numbers, because the search for jobs to
/// cancel tries many sets.
class StartOrder {
 public:
  /// `own` are the specs of the job's waiting pods. If it has no pods yet, they are the specs of its future
  /// pods, which come after all others of the same priority. `rooms` and the facts must outlive this object.
  StartOrder(const Facts& facts, const std::vector<const Json*>& own, const std::vector<Room>& rooms);

  /// The jobs that the scheduler tries before this one, in order. Leaves out those that can never start.
  std::vector<Holder> ahead() const;
  /// How many jobs wait for a node, including this one. Leaves out those that can never start.
  size_t size() const;

  /// Whether this job will start before any other once the pods that are already stopping have stopped.
  bool starts_by_itself() const { return starts_by_itself_; }

  /// The fewest running jobs whose end makes this job start before any other, with the amounts they hold.
  /// Prefers jobs whose end helps no rivals, then low-priority jobs. If more than four jobs must end, these
  /// may not be the fewest. Empty if there are none, if this job starts by itself, or if its start depends on
  /// more than nodes and requests. `also`, if given, must be true for the result.
  using Condition = std::function<bool(const std::vector<Holder>& ended)>;
  std::vector<Holder> fewest_to_end(const std::string& resource, const Condition& also = {}) const;

  /// How much of a resource a running job holds on the nodes.
  int64_t amount_of(const Holder& running, const std::string& resource) const;

  /// The waiting jobs that also fit once `ended` have ended. They may start before this job, because
  /// kube-scheduler does not retry a pod until podMaxBackoffSeconds (10 by default) after its last attempt.
  std::vector<Holder> rivals(const std::vector<Holder>& ended) const;

  /// Whether this job must still preempt pods of lower priority once `ended` have ended.
  bool preempts_after(const std::vector<Holder>& ended) const;

 private:
  using Needs = std::vector<int64_t>;
  struct Shape {
    Needs needs;
    std::vector<bool> suits;  ///< by node
    bool never_fits = false;  ///< whatever ends
  };
  struct Waiter {
    Holder job;
    /// when the job's oldest waiting pod was created, and when kml submitted the job
    std::string created, submitted;
    std::vector<size_t> shapes = {};
    bool is_own = false;
    bool is_gang = false;  ///< either all of the job's pods start together, or none of them starts
    /// a gang whose pods do not all exist, or pods without a volume they need
    bool is_blocked = false;
    bool has_other_reason = false;  ///< the job's pods may be waiting for something other than room
    bool cannot_start = false;      ///< one of the job's pods never starts unless something is changed
    size_t gang_size = 0;
    bool may_preempt = true;
  };
  struct Candidate {
    Holder job;
    std::vector<std::pair<size_t, Needs>> pods = {};  ///< by node
  };
  using Free = std::vector<Needs>;  ///< by node
  /// A pod that a waiting pod of higher priority may preempt.
  struct Victim {
    size_t node;
    long long priority;
    JobKey job;
    Needs holds;
  };
  /// The free resources and remaining pods at a moment after some jobs were told to end.
  struct Moment {
    Free free;
    std::set<size_t> nodes = {};  ///< the nodes with more free resources than before
    std::set<JobKey> gone = {};   ///< the jobs that were told to end
    /// the pods of these jobs that have not ended yet
    std::vector<std::pair<const Candidate*, size_t>> left = {};
  };

  static void shift(Needs& amounts, const Needs& more, int64_t sign);
  Needs needs_of(const api::Amounts& amounts) const;
  size_t shape_of(const Json& spec);
  void add_resources(const std::vector<const Json*>& specs);
  void add_waiters(const std::vector<const Json*>& own);
  void add_candidates();
  void start_what_fits();
  /// Places either all of the pods or none, and reduces `free`. Prefers the nodes with the most room if
  /// `spreads`, otherwise those with the least.
  bool place(const std::vector<size_t>& shapes, Free& free, bool spreads) const;
  bool fits_on(const Waiter& waiter, const Free& free, const std::set<size_t>& nodes) const;
  /// The resources that would be free after the waiting job has preempted all pods that it may preempt; empty
  /// if it may preempt none.
  Free free_by_preemption(const Waiter& waiter, const Moment& moment) const;
  bool can_take(const Waiter& waiter, const Moment& moment) const;
  bool places_own(const Waiter& own, const Free& free) const;
  bool never_preempts(long long priority) const;
  Moment moment_after(const std::vector<const Candidate*>& ended) const;
  std::vector<const Candidate*> candidates_of(const std::vector<Holder>& jobs) const;
  bool preempts_without(const std::vector<const Candidate*>& ended) const;
  enum class Next { none, own, other };
  Next next_at(const Moment& moment) const;
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
  std::vector<Victim> victims_;
  Free free_;
  bool is_decided_ = false, starts_by_itself_ = false;
};

}  // namespace kml::job
