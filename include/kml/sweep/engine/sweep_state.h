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

/// The job name of the trial with that index in an Indexed Job: "lr1-8" for index 8 of Job lr1.
std::string index_name(const std::string& job, size_t index);

/// The record of an early-stopping verdict, with the values as the trials reported them.
record::Judged judged(std::uint64_t trial, const Verdict& verdict, const Objective& objective);

/// The settings and facts with which a sweep started.
struct SweepOrigin {
  SweepSpec spec;  ///< the current spec, including later changes
  Space space;
  /// The sampler's name. For "auto", this is the sampler chosen when the sweep started, even if the budget
  /// has changed since.
  std::string algorithm;
  std::string id;
  Json target, code;                    ///< see record::Sweep
  std::vector<Observation> warm_start;  ///< the results of other sweeps from which samplers learn
};

/// The numbers of a sweep's trials, grouped by their state.
struct TrialLists {
  std::vector<std::uint64_t> ended;  ///< the trials in the order in which they ended
  std::set<std::uint64_t> running;
  std::set<std::uint64_t> paused;  ///< trials that have reached a rung and wait for promotion
  /// Trials whose jobs were stopped with the sweep. When the sweep is resumed, they start again.
  std::set<std::uint64_t> withdrawn;
  std::set<std::uint64_t> left;  ///< trials that were paused when the sweep ended
  std::map<Outcome, size_t> outcomes;
  std::map<std::string, std::uint64_t> by_job;

  size_t count(Outcome outcome) const;
};

/// The times at which engines ran the sweep.
struct Sessions {
  Time begun = {}, current = {};  ///< the start of the first session, and of the current one
  Time last = {};                 ///< the time of the last record by an engine's clock
  nanoseconds earlier{0};         ///< the total duration of the sessions before the current one

  /// The total time in which an engine ran the sweep.
  nanoseconds wall_time(Time now) const;
};

/// The state of a sweep according to its journal: computed from the records one by one, for the engine,
/// `status` and the report.
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
  const Json& code() const { return origin_->code; }
  const std::vector<Observation>& warm_start() const { return origin_->warm_start; }

  const std::vector<Trial>& trials() const { return trials_; }
  const TrialLists& lists() const { return lists_; }
  const Trial* find(const std::string& job) const;
  /// The Jobs of an indexed sweep: one for the initial trials, and others for trials that were added later or
  /// whose Job was lost.
  const std::vector<Wave>& waves() const { return waves_; }
  /// The nodes on which trials had results or failed.
  const NodeRecord& nodes() const { return nodes_; }

  /// The best complete trial; empty with several objectives.
  std::optional<std::uint64_t> best() const { return best_; }
  /// With several objectives, the complete trials on the Pareto front, which no other trial dominates, in the
  /// order in which they ended.
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

/// Whether the sweep has a result: a best trial, or trials on the front.
bool has_result(const SweepState& state);
/// Whether a trial is running or had a result on a node that is not in nodes().bad().
bool has_good_node(const SweepState& state);
/// Whether one node may be the cause of all nodes().failures_in_a_row(): all of these trials ran on it, and
/// trials do better on other nodes.
bool may_be_a_bad_node(const SweepState& state);
/// A trial in the form that samplers and stopping rules use. With the strategy `best`, its curve has the best
/// value up to each resource instead of the reported values.
Observation observation(const SweepSpec& spec, const Trial& trial);
/// The value of an objective that the trial reported. `objective` is its index in the spec's objectives().
std::optional<double> value_of(const SweepSpec& spec, const Trial& trial, size_t objective);
/// The values of all objectives but the first, as costs; empty if the trial lacks one of them.
std::vector<double> further_costs(const SweepSpec& spec, const Trial& trial);
/// The folder of a trial's checkpoints, such as "/ckpt/lr1-8f3a-42" if `whose` is "42"; empty if the sweep
/// stores no checkpoints.
std::string checkpoint_folder(const SweepState& state, const std::string& whose);

}  // namespace kml::sweep
