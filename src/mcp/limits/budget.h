#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/submit/plan_file.h"

namespace kml::mcp {

/// How much the jobs of a server may use over its whole life.
struct Budget {
  std::optional<long long> gpus;    ///< --max-gpus
  std::optional<double> gpu_hours;  ///< --max-gpu-hours
};

/// Adds up how much the applied plans and the resumed jobs may use at most. A plan is counted once, however
/// often it is applied, and stays counted when its jobs end, so that the limit holds whatever the jobs do. A
/// job is counted again each time it is resumed, because its time limit then starts again.
class Spending {
 public:
  explicit Spending(Budget budget) : budget_(budget) {}

  /// Counts the plan, unless it was already counted. Call this before it is applied. Throws usage Error if
  /// the limit would be exceeded, or if it is unknown how much the plan uses. Returns false if the plan was
  /// already counted.
  bool reserve(const job::PlanFile& plan);
  /// Whether the plan is still to be counted for --max-gpu-hours, and has a job whose GPU hours are correct
  /// only if Kueue does not put the job into a default queue.
  bool must_know_queues(const job::PlanFile& plan) const;
  /// Undoes reserve() of a plan that has certainly created nothing.
  void release(const std::string& id);

  /// Counts the whole time limit of these jobs once more, except jobs that are not suspended. Call this
  /// before they are resumed. `jobs` are their objects; `is_own` says whether this server has created a job,
  /// so that its GPUs are counted already. Throws usage Error like reserve().
  void reserve_again(const std::vector<Json>& jobs, const std::function<bool(const Json& job)>& is_own);

  long long gpus() const { return gpus_; }
  double gpu_hours() const { return gpu_hours_; }

 private:
  struct Use {
    long long gpus = 0;
    double gpu_hours = 0;
  };

  void add(const Use& use, const std::string& user);

  Budget budget_;
  std::map<std::string, Use> plans_;
  std::set<std::string> resumed_;  ///< the uids of resumed jobs that this server did not create
  long long gpus_ = 0;
  double gpu_hours_ = 0;
};

/// What this server has created: jobs and served programs by their uid, because a name can be used again, and
/// sweeps and runs by the plan that started them.
class OwnWork {
 public:
  /// Adds the objects that a command has printed with -o json: one object or a List.
  void add(const Json& objects);
  bool has(const std::string& uid) const { return uids_.contains(uid); }
  /// Call this before a plan for a new sweep, run or served program is applied.
  void begin(const std::string& plan) { plans_.insert(plan); }
  bool has_begun(const std::string& plan) const { return plans_.contains(plan); }

 private:
  std::set<std::string> uids_, plans_;
};

/// The objects in a command's output with -o json, which is one object or a List.
std::vector<Json> objects_in(const Json& printed);

}  // namespace kml::mcp
