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

/// The state of a sweep according to its journal: a fold over the records, shared by the engine, `status` and
/// the report.
class SweepState {
 public:
  /// Throws Error for a record that cannot follow the earlier ones.
  void apply(const Record& record);

  bool is_empty() const { return !spec_; }
  const SweepSpec& spec() const { return *spec_; }
  const Space& space() const { return *space_; }
  /// The sampler's name. For "auto", the sampler chosen when the sweep started, even if its budget has
  /// changed since.
  const std::string& algorithm() const { return algorithm_; }
  const std::string& id() const { return id_; }
  const Json& target() const { return target_; }
  const std::vector<Trial>& trials() const { return trials_; }
  /// Results of other sweeps for samplers to learn from.
  const std::vector<Observation>& warm_start() const { return warm_start_; }
  const Trial* find(const std::string& job) const;

  /// The Jobs of an indexed sweep: one for the initial trials, others for trials that were added later or
  /// lost with their Job.
  const std::vector<Wave>& waves() const { return waves_; }

  /// Why the sweep ended; empty while it is running.
  const std::string& end() const { return end_.reason; }
  bool has_tried_space() const { return end_.kind == record::End::Kind::space_tried; }
  /// The best complete trial; none with several objectives.
  std::optional<std::uint64_t> best() const { return best_; }
  /// With several objectives: the complete trials that no other one dominates, in the order of their ends.
  const std::vector<std::uint64_t>& front() const { return front_; }
  bool has_result() const { return best_ || !front_.empty(); }
  const std::vector<std::uint64_t>& ended() const { return lists_.ended; }  ///< in the order of their ends
  const std::set<std::uint64_t>& running() const { return lists_.running; }
  /// Trials whose jobs were stopped with the sweep: a resume starts them again.
  const std::set<std::uint64_t>& withdrawn() const { return lists_.withdrawn; }
  /// Trials that reached a rung and wait for promotion.
  const std::set<std::uint64_t>& paused() const { return lists_.paused; }
  size_t count(Outcome outcome) const;
  /// Where trials had results, and where they failed.
  const NodeRecord& nodes() const { return nodes_; }
  /// Whether one node may be the cause of nodes().failures_in_a_row(): all of these trials ran on it, and
  /// other nodes are known to do better.
  bool may_be_a_bad_node() const;
  double gpu_seconds() const { return gpu_seconds_; }
  /// The total time in which an engine ran.
  nanoseconds wall_time(Time now) const;
  /// Whether a trial is running, or had a result, on a node that is not one of nodes().bad().
  bool has_good_node() const;
  Time begun() const { return sessions_.begun; }
  const Timeline& timeline() const { return timeline_; }
  Time last_time() const { return sessions_.last; }

  /// With the strategy `best`, its curve has the best value up to each resource instead of the reported
  /// values.
  Observation observation(const Trial& trial) const;
  /// The value that the trial reported of an objective, by its index in the spec's objectives().
  std::optional<double> value_of(const Trial& trial, size_t objective) const;
  /// The folder of a trial's checkpoints: "/ckpt/lr1-8f3a-42" for trial "42" in `whose`; empty if the sweep
  /// keeps none.
  std::string checkpoint_folder(const std::string& whose) const;

 private:
  struct Fold;
  struct Lists {
    std::map<std::string, std::uint64_t> by_job;
    std::vector<std::uint64_t> ended;
    std::set<std::uint64_t> running, paused, withdrawn;
    std::set<std::uint64_t> left;  ///< trials that were paused when the sweep ended
    std::map<Outcome, size_t> outcomes;
  };
  /// The times at which an engine ran.
  struct Sessions {
    Time begun = {}, current = {}, last = {};
    nanoseconds earlier{0};  ///< the length of those before the current one
  };

  std::vector<double> further_costs(const Trial& trial) const;

  std::optional<SweepSpec> spec_;
  Timeline timeline_;
  std::optional<Space> space_;
  std::string id_, algorithm_;
  record::End end_;
  Json target_;
  std::vector<Trial> trials_;
  std::vector<Observation> warm_start_;
  std::vector<Wave> waves_;
  Lists lists_;
  NodeRecord nodes_;
  std::optional<std::uint64_t> best_;
  std::vector<std::uint64_t> front_;
  double gpu_seconds_ = 0;
  Sessions sessions_;
};

}  // namespace kml::sweep
