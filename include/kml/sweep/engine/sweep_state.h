#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/sweep/engine/node_record.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/journal/timeline.h"
#include "kml/sweep/journal/trial.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/stopping/stopping.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// "lr1-8": the job name of the trial that is index 8 of Job lr1.
std::string index_name(const std::string& job, size_t index);

/// The record of how early stopping judged a trial, with the values as the trials reported them.
record::Judged judged(std::uint64_t trial, const Verdict& verdict, const Objective& objective);

/// What a sweep was told at its start, and what follows from it.
struct SweepOrigin {
  SweepSpec spec;  ///< as changed since
  Space space;
  /// The sampler's name. For "auto", the sampler chosen when the sweep started, even if its budget has
  /// changed since.
  std::string algorithm;
  std::string id;
  Json target;
  std::vector<Observation> warm_start;  ///< results of other sweeps for samplers to learn from
};

/// The numbers of a sweep's trials, by what has become of them.
struct TrialLists {
  std::vector<std::uint64_t> ended;  ///< in the order of their ends
  std::set<std::uint64_t> running;
  std::set<std::uint64_t> paused;  ///< reached a rung and wait for promotion
  /// Their jobs were stopped with the sweep: a resume starts them again.
  std::set<std::uint64_t> withdrawn;
  std::set<std::uint64_t> left;  ///< were paused when the sweep ended
  std::map<Outcome, size_t> outcomes;
  std::map<std::string, std::uint64_t> by_job;

  size_t count(Outcome outcome) const;
};

/// The times at which engines ran.
struct Sessions {
  Time begun = {}, current = {};  ///< the first session's start, and the current one's
  Time last = {};                 ///< of the last record
  nanoseconds earlier{0};         ///< the total length of the sessions before the current one

  /// The total time in which an engine ran.
  nanoseconds wall_time(Time now) const;
};

/// The state of a sweep according to its journal: a fold over the records, shared by the engine, `status` and
/// the report.
class SweepState {
 public:
  /// Throws Error for a record that cannot follow the earlier ones.
  void apply(const Record& record);

  bool is_empty() const { return !origin_; }
  const SweepSpec& spec() const { return origin_->spec; }
  const Space& space() const { return origin_->space; }
  const std::string& algorithm() const { return origin_->algorithm; }
  const std::string& id() const { return origin_->id; }
  const Json& target() const { return origin_->target; }
  const std::vector<Observation>& warm_start() const { return origin_->warm_start; }

  const std::vector<Trial>& trials() const { return trials_; }
  const TrialLists& lists() const { return lists_; }
  const Trial* find(const std::string& job) const;
  /// The Jobs of an indexed sweep: one for the initial trials, others for trials that were added later or
  /// lost with their Job.
  const std::vector<Wave>& waves() const { return waves_; }
  /// Where trials had results, and where they failed.
  const NodeRecord& nodes() const { return nodes_; }

  /// The best complete trial; none with several objectives.
  std::optional<std::uint64_t> best() const { return best_; }
  /// With several objectives: the complete trials that no other one dominates, in the order of their ends.
  const std::vector<std::uint64_t>& front() const { return front_; }

  /// Why the sweep ended; the reason is empty while it is running.
  const record::End& end() const { return end_; }
  double gpu_seconds() const { return gpu_seconds_; }
  const Sessions& sessions() const { return sessions_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  struct Fold;

  std::optional<SweepOrigin> origin_;
  std::vector<Trial> trials_;
  TrialLists lists_;
  std::vector<Wave> waves_;
  NodeRecord nodes_;
  std::optional<std::uint64_t> best_;
  std::vector<std::uint64_t> front_;
  record::End end_;
  double gpu_seconds_ = 0;
  Sessions sessions_;
  Timeline timeline_;
};

/// Whether a trial is the best one, or on the front.
bool has_result(const SweepState& state);
/// Whether a trial is running, or had a result, on a node that is not one of nodes().bad().
bool has_good_node(const SweepState& state);
/// Whether one node may be the cause of nodes().failures_in_a_row(): all of these trials ran on it, and
/// other nodes are known to do better.
bool may_be_a_bad_node(const SweepState& state);
/// With the strategy `best`, its curve has the best value up to each resource instead of the reported values.
Observation observation(const SweepSpec& spec, const Trial& trial);
/// The value that the trial reported of an objective, by its index in the spec's objectives().
std::optional<double> value_of(const SweepSpec& spec, const Trial& trial, size_t objective);
/// The values of the objectives after the first, as costs; empty unless the trial has all of them.
std::vector<double> further_costs(const SweepSpec& spec, const Trial& trial);
/// The folder of a trial's checkpoints: "/ckpt/lr1-8f3a-42" for trial "42" in `whose`; empty if the sweep
/// keeps none.
std::string checkpoint_folder(const SweepState& state, const std::string& whose);

}  // namespace kml::sweep
