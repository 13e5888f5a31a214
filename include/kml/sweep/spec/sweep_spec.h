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
  /// Which of a trial's values is used if it reports several.
  enum class Strategy { latest, best };

  std::string metric = {};
  bool maximize = false;
  std::optional<double> goal = {};  ///< the sweep ends once it is reached
  Strategy strategy = Strategy::latest;
  std::vector<std::string> additional = {};  ///< other metrics to keep

  /// A value for samplers and stopping rules, for which lower is better.
  double cost(double value) const { return maximize ? -value : value; }
  double value(double cost) const { return maximize ? -cost : cost; }
};

/// The limits of a sweep over all its resumes together. Beyond them no trial starts; running trials finish.
struct Budget {
  std::uint64_t trials = 100;
  std::optional<std::chrono::seconds> wall_time = {};  ///< only time with a running engine is counted
  std::optional<double> gpu_hours = {};
};

/// The early-stopping rule.
struct Stopping {
  StopRule rule = StopRule::none;
  std::string resource = "step";  ///< the metric that measures a trial's progress
  double min = 0, max = 0;        ///< the lowest rung (0: rungs() chooses), and a full trial's resource
  double eta = 4;                 ///< one of `eta` trials continues at a rung
  bool promote = false;  ///< trials end at a rung; the best continue in new jobs from their checkpoints
  int min_trials = 3;    ///< median: how many trials must have ended before one is stopped
  double start = 0;      ///< median: no trial is stopped before this step
};

/// The options of judge().
StopOptions stop_options(const Stopping& stopping);

/// The source of a trial's metrics.
struct Collector {
  bool reads_message = false;  ///< reads only the termination message, not the log
  std::string path = {};       ///< of a file in the container; empty means its log
  bool reads_events = false;   ///< the path is a folder with TensorFlow event files
  /// The path's folder is an empty volume of each pod, as in Katib, unless the manifest mounts one there.
  bool has_volume = false;
  std::vector<std::string> filters = {};  ///< as in Katib: regular expressions with groups for name and value
};

/// How a trial's end and its main pod are found, if the file says so. Paths are those of kml::JsonQuery; a
/// trial has succeeded or failed once its object has an object, or a list that is not empty, at the path.
struct TrialConditions {
  std::string success = {}, failure = {};
  std::map<std::string, std::string> pod_labels = {};  ///< metrics are read only from pods with all of these
  std::string container = {};  ///< metrics are read only from it, in pods that have it; empty: from all
};

/// Whose placeholders the manifest of a trial has; see TrialTemplate.
enum class Placeholders { kml, katib, wandb };

/// A sweep as its file or the command line describes it.
struct SweepSpec {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  Objective objective;  ///< its additional metrics include those of `further`
  /// With several objectives, those after the first. The sweep then searches for the Pareto front: the trials
  /// that no other trial dominates (at least as good in every objective, and better in one).
  std::vector<Objective> further;
  std::string algorithm = "auto";  ///< a name of sampler_names(), or "auto"
  Population population;           ///< of the algorithm pbt
  std::optional<int> startup;      ///< number of trials before a model is fitted
  std::uint64_t seed = 0;
  bool deterministic = false;  ///< proposals wait for results in trial order, not in order of arrival
  Budget budget;
  int parallel = 4;
  bool is_indexed = false;        ///< all trials are one Indexed Job, see IndexedTemplate
  std::optional<int> max_failed;  ///< the sweep ends after this many failed trials
  int retries = 0;                ///< retries of a failed trial; disruptions are not failures
  Stopping stopping;
  std::string checkpoint_folder;
  Collector collector;
  std::map<std::string, std::string> trial_parameters;  ///< parameters by their names in the manifest
  Json warm_start = Json::array();                      ///< earlier results, see warm_start.h
  TrialConditions conditions;
  Placeholders placeholders = Placeholders::kml;
  bool has_python_values = false;  ///< commands receive True, None, [1, 2], as from the agent of W&B
  Json trial;                      ///< a manifest with placeholders; see TrialTemplate

  Json document;  ///< the document in kml's format: parse_sweep() returns this spec for it

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
/// Throws one Error (usage) with every problem and its path; an unknown key is a problem.
SweepSpec parse_sweep(const Json& document, std::string_view source);

/// The placeholder for a value of kml's own, "trial" or "checkpoint": {trial}, or ${kml.trial} where {trial}
/// belongs to the program.
std::string own_hole(Placeholders placeholders, const std::string& name);

/// The name of the spec's sampler, even if it is `auto`.
std::string algorithm_of(const SweepSpec& spec, const Space& space);

/// The `source` of a sweep from the command line. Its problems name the flags.
inline constexpr std::string_view kCommandLine = "the command line";

/// Parses `--param lr=log:1e-4..1e-1` into an entry of spec.parameters. Further forms: `lr=0.1..1`,
/// `layers=int:1..8`, `width=int:log:16..1024`, `drop=0..0.5/0.1` (in steps), `batch=32,64,128`,
/// `opt=adam,sgd`. Bounds without a point or an exponent are integers. Values stay texts if a conversion to
/// numbers would change one of them: `py=3.9,3.10`. Throws usage Error.
Json parameter_of_flag(const std::string& flag);

/// A warning about a flag that may not mean what the user intended: 0..1 has only two values, 3.10 is a text.
/// Usually empty.
std::string note_on_parameter_flag(const std::string& flag);

/// The paths of changes that a resume must not make, such as `spec.parameters`.
std::vector<std::string> changed_space(const Json& before, const Json& after);

/// The document of a sweep that is resumed with `after`. Keeps the trial template and warm start of `before`.
Json continued(const Json& before, Json after);

}  // namespace kml::sweep
