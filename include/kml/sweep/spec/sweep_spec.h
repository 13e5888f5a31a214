#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/sweep/space/space.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::sweep {

/// What is searched for.
struct Objective {
  /// Which of a trial's values counts, where it reports several.
  enum class Strategy { latest, best };

  std::string metric = {};
  bool maximize = false;
  std::optional<double> goal = {};  ///< the sweep ends where it is reached
  Strategy strategy = Strategy::latest;
  std::vector<std::string> additional = {};  ///< metrics that are kept too

  /// As samplers and stopping rules see a value: lower is better.
  double cost(double value) const { return maximize ? -value : value; }
  double value(double cost) const { return maximize ? -cost : cost; }
};

/// The limits of a sweep in total, over every resume. Beyond them no trial starts; running ones finish.
struct Budget {
  std::uint64_t trials = 100;
  std::optional<std::chrono::seconds> wall_time = {};  ///< while an engine runs
  std::optional<double> gpu_hours = {};
};

/// Which trials are ended early.
struct Stopping {
  StopRule rule = StopRule::none;
  std::string resource = "step";  ///< the metric that counts what a trial has used
  double min = 0, max = 0;        ///< the lowest rung (0: as rungs() chooses), and what a whole trial uses
  double eta = 4;                 ///< one of eta continues
  bool promote = false;  ///< trials end at a rung; the best continue in new jobs from their checkpoints
  int min_trials = 3;    ///< median: ended trials before the first is stopped
  double start = 0;      ///< median: no trial is stopped before this step
};

/// What is_to_stop() goes by.
StopOptions stop_options(const Stopping& stopping);

/// Where a trial's numbers are read.
struct Collector {
  bool reads_message = false;             ///< the termination message alone: no log is read
  std::string path = {};                  ///< of a file in the container; empty: its log
  std::vector<std::string> filters = {};  ///< Katib's: regular expressions with groups for name and value
};

/// A sweep as its file or the command line describes it.
struct SweepSpec {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  Objective objective;
  std::string algorithm = "auto";  ///< a name of sampler_names(), or "auto"
  std::optional<int> startup;      ///< trials before a model is fitted
  std::uint64_t seed = 0;
  bool deterministic = false;  ///< proposals wait for results in the trials' order, not as they come
  Budget budget;
  int parallel = 4;
  bool is_indexed = false;        ///< all trials are one Indexed Job, see IndexedTemplate
  std::optional<int> max_failed;  ///< the sweep ends after so many failed trials
  int retries = 0;                ///< of a trial that failed; a disruption is none
  Stopping stopping;
  std::string checkpoint_folder;
  Collector collector;
  std::map<std::string, std::string> trial_parameters;  ///< name in the manifest to parameter
  Json warm_start = Json::array();                      ///< earlier results, see warm_start.h
  Json trial;                                           ///< manifest with placeholders; see TrialTemplate

  Json document;  ///< in the native format: parse_sweep() of it gives this again
};

/// A document of `kind: Sweep, apiVersion: kml.dev/v1`: the fields of Katib's Experiment and more,
///
///     metadata: {name: lr1}
///     spec:
///       objective: {type: maximize, objectiveMetricName: accuracy, goal: 0.97}
///       algorithm: {algorithmName: auto}
///       parallelTrialCount: 8
///       maxTrialCount: 200
///       parameters:
///         - {name: lr, parameterType: double, feasibleSpace: {min: 1e-4, max: 0.1, distribution:
///         logUniform}}
///         - {name: momentum, parameterType: double, feasibleSpace: {min: 0, max: 1},
///            condition: {parameter: optimizer, values: [sgd]}}
///       constraints: [batch * accum <= 4096]
///       seed: 1
///       deterministic: false
///       budget: {wallTime: 2h, gpuHours: 10}
///       fidelity: {metric: epoch, min: 1, max: 27, eta: 3}
///       earlyStopping: {algorithmName: asha}     # hyperband, median; mode: promote
///       retry: {failures: 1}
///       fanOut: indexed                          # all trials as one Indexed Job; else jobs
///       timeLimit: 1h                            # of a trial
///       metricsCollectorSpec: {collector: {kind: File}, source: {fileSystemPath: {path: /tmp/metrics}}}
///                                                # StdOut; TerminationMessage: no log is read
///       checkpointDir: /checkpoints
///       warmStart: [{values: {lr: 0.01}, value: 0.93}]    # results that are known, and count for no budget
///       trialTemplate: {trialSpec: {apiVersion: batch/v1, kind: Job, ...}}
///
/// or a Katib Experiment (kubeflow.org/v1beta1) whose algorithm and collector are known. Throws one Error
/// (usage) with every problem, each with its path; an unknown key is one.
SweepSpec parse_sweep(const Json& document, std::string_view source);

/// The source of a sweep that was given by flags: its problems name these.
inline constexpr std::string_view kCommandLine = "the command line";

/// `--param lr=log:1e-4..1e-1`: an entry of spec.parameters. Further forms: `lr=0.1..1`, `layers=int:1..8`,
/// `width=int:log:16..1024`, `drop=0..0.5/0.1` (in steps), `batch=32,64,128`, `opt=adam,sgd`. Bounds without
/// a point or an exponent are integers. Values are texts where one would change as a number: `py=3.9,3.10`.
/// Throws usage Error.
Json parameter_of_flag(const std::string& flag);

/// What a user should know of such a flag, where it may mean something else than was meant: 0..1 has two
/// values, 3.10 is a text. Empty for most.
std::string note_on_parameter_flag(const std::string& flag);

/// Which parts of a sweep's document may not change on a resume, and did: paths such as `spec.parameters`.
std::vector<std::string> changed_space(const Json& before, const Json& after);

/// The document of a sweep that goes on as `after` says: its trials, and what taught it, stay as they were.
Json continued(const Json& before, Json after);

}  // namespace kml::sweep
