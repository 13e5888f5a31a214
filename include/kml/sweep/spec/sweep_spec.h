#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/space/space.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::sweep {

/// An objective of the search.
struct Objective {
  /// Which value is used if a trial reports several.
  enum class Strategy { latest, best };

  std::string metric = {};
  bool maximize = false;
  std::optional<double> goal = {};  ///< the value at which the sweep ends
  Strategy strategy = Strategy::latest;
  std::vector<std::string> additional = {};  ///< other metrics to record
  /// additional metrics of which the greatest (true) or the least value (false) is recorded; for all others,
  /// the latest value is recorded
  std::map<std::string, bool> extremes = {};

  /// The value as a cost for samplers and stopping rules: lower is better.
  double cost(double value) const { return maximize ? -value : value; }
  double value(double cost) const { return maximize ? -cost : cost; }
};

/// The limits of a sweep, including all resumed runs. When a limit is reached, no further trial starts;
/// running trials finish.
struct Budget {
  std::uint64_t trials = 100;
  /// the limit on the time in which an engine runs the sweep
  std::optional<std::chrono::seconds> wall_time = {};
  std::optional<double> gpu_hours = {};
};

/// The early-stopping rule.
struct Stopping {
  StopRule rule = StopRule::none;
  std::string resource = "step";  ///< the metric that measures a trial's progress
  /// the resources of the lowest rung (0 means that rungs() chooses it) and of a full trial
  double min = 0, max = 0;
  /// the resources of the rungs before the last one; if empty, computed from `min` and `eta`
  std::vector<double> rungs = {};
  double eta = 4;        ///< at each rung, one in `eta` trials continues
  int brackets = 2;      ///< asha: see StopOptions
  bool by_best = false;  ///< asha: see StopOptions
  /// whether trials end at a rung; the best continue from their checkpoints in new jobs
  bool promote = false;
  /// median: how many other trials must have reached the resource at which a trial is stopped
  int min_trials = 3;
  double start = 0;  ///< median: no trial is stopped at or before this step
};

/// The options for judge().
StopOptions stop_options(const Stopping& stopping);

/// The source of a trial's metrics.
struct Collector {
  bool reads_message = false;  ///< reads only the container's termination message, not its log
  std::string path = {};       ///< the path of a file in the container; empty means the container's log
  bool reads_events = false;   ///< the path is a folder with TensorFlow event files
  /// Whether the path's folder is on a new, empty volume in each pod, as in Katib. If the manifest mounts a
  /// volume there, that one is used.
  bool has_volume = false;
  /// as in Katib: regular expressions with one group for the name and one for the value
  std::vector<std::string> filters = {};
};

/// How to recognize a trial's end and its main pod, if the sweep's file defines it. Paths have the syntax of
/// kml::JsonQuery. A trial has succeeded or failed once the corresponding path in its job leads to an object,
/// or to a list that is not empty.
struct TrialConditions {
  std::string success = {}, failure = {};
  /// metrics are read only from pods that have all of these labels
  std::map<std::string, std::string> pod_labels = {};
  /// metrics are read only from the container with this name; empty means all containers
  std::string container = {};
};

/// The kind of placeholders in a trial's manifest; see TrialTemplate.
enum class Placeholders { kml, katib, wandb };

/// A sweep as its file or the command line describes it.
struct SweepSpec {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  Objective objective;  ///< the first objective; its additional metrics include those of `further`
  /// With several objectives, all but the first. The sweep then searches for the Pareto front: the trials
  /// that no other trial dominates. A trial dominates another one if it is at least as good in every
  /// objective, and better in one.
  std::vector<Objective> further;
  std::string algorithm = "auto";  ///< the sampler's name, one of sampler_names(), or "auto"
  Population population;           ///< the settings of the algorithm pbt
  std::optional<int> startup;      ///< how many trials end before a model is fitted
  std::uint64_t seed = 0;
  /// whether proposals use results in the order of trials, and not in the order in which they arrive
  bool deterministic = false;
  Budget budget;
  int parallel = 4;
  bool is_indexed = false;        ///< all trials are one Indexed Job, see IndexedTemplate
  std::optional<int> max_failed;  ///< the sweep ends when more trials than this have failed
  /// how often a failed trial is retried; disruptions use up a retry only in a sweep with a plan
  int retries = 0;
  Stopping stopping;
  std::string checkpoint_folder;
  Collector collector;
  /// the key is the name in the manifest's placeholders, the value is a parameter's name or a reference to
  /// the trial's manifest
  std::map<std::string, std::string> trial_parameters;
  Json warm_start = Json::array();  ///< earlier results, see warm_start.h
  TrialConditions conditions;
  Placeholders placeholders = Placeholders::kml;
  /// whether commands receive Python values (True, None, [1, 2]), as from the agent of W&B
  bool has_python_values = false;
  Json trial;  ///< a manifest with placeholders; see TrialTemplate

  Json document;  ///< the document in kml's format, for which parse_sweep() returns this spec

  bool has_front() const { return !further.empty(); }
  std::vector<Objective> objectives() const;
};

/// A document of `kind: Sweep, apiVersion: kml.dev/v1`: the fields of Katib's Experiment and more,
///
///     metadata: {name: lr1}
///     spec:
///       objective: {type: maximize, objectiveMetricName: accuracy, goal: 0.97}
///                                                # or several: objectives: [{type, objectiveMetricName}]
///       algorithm: {algorithmName: auto}
///       parallelTrialCount: 8
///       maxTrialCount: 200
///       parameters:
///         - {name: lr, parameterType: double,
///            feasibleSpace: {min: 1e-4, max: 0.1, distribution: logUniform}}
///         - {name: momentum, parameterType: double, feasibleSpace: {min: 0, max: 1},
///            condition: {parameter: optimizer, values: [sgd]}}
///       constraints: [batch * accum <= 4096]
///       seed: 1
///       deterministic: false
///       budget: {wallTime: 2h, gpuHours: 10}
///       fidelity: {metric: epoch, min: 1, max: 27, eta: 3}
///       earlyStopping: {algorithmName: asha}     # or hyperband, median; mode: promote
///       retry: {failures: 1}
///       fanOut: indexed                          # all trials as one Indexed Job; or jobs
///       timeLimit: 1h                            # of each trial
///       metricsCollectorSpec: {collector: {kind: File}, source: {fileSystemPath: {path: /tmp/metrics}}}
///                                                # or StdOut, or TerminationMessage: reads no log
///       checkpointDir: /checkpoints
///       warmStart: [{values: {lr: 0.01}, value: 0.93}]    # known results; not part of the budget
///       trialTemplate: {trialSpec: {apiVersion: batch/v1, kind: Job, ...}}
///
/// A Katib Experiment (kubeflow.org/v1beta1) is also accepted if its algorithm and collector are known.
/// Throws one usage Error with the problems found and their paths; an unknown key is a problem.
SweepSpec parse_sweep(const Json& document, std::string_view source);

/// The placeholder for a value that kml provides, "trial" or "checkpoint": {trial}, or ${kml.trial} if
/// {trial} has another meaning in the manifest.
std::string own_hole(Placeholders placeholders, const std::string& name);

/// The name of the sampler. If the spec has `auto`, the name of the sampler that it selects.
std::string algorithm_of(const SweepSpec& spec, const Space& space);

/// The `source` of a sweep from the command line. Its problems name the flags.
inline constexpr std::string_view kCommandLine = "the command line";

/// Parses `--param lr=log:1e-4..1e-1` into an entry of spec.parameters. Further forms: `lr=0.1..1`,
/// `layers=int:1..8`, `width=int:log:16..1024`, `drop=0..0.5/0.1` (in steps), `batch=32,64,128`,
/// `opt=adam,sgd`. A range has integers if its bounds and its step have no point and no exponent. Values stay
/// texts if a conversion to numbers would change one of them: `py=3.9,3.10`. Throws usage Error.
Json parameter_of_flag(const std::string& flag);

/// A warning about a flag that may not mean what the user intended: 0..1 has only two values, and 3.10 is a
/// text. Usually empty.
std::string note_on_parameter_flag(const std::string& flag);

/// The paths of those changes that are forbidden when a sweep is resumed, such as `spec.parameters`.
std::vector<std::string> changed_space(const Json& before, const Json& after);

/// The document of a sweep that is resumed with the document `after`. Takes the trial template and warm start
/// from `before`.
Json continued(const Json& before, Json after);

}  // namespace kml::sweep
