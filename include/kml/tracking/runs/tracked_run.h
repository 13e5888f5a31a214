#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/records/records.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/sweep/engine/sweep_state.h"

namespace kml::tracking {

/// A submit, a sweep or a pipeline run, in a form in which runs are compared.
struct TrackedRun {
  /// For a submit and for an engine in a cluster, 16 hexadecimal digits; otherwise "sweep/NAME" or
  /// "run/NAME".
  std::string id;
  /// "job", "objects" (a submit without a job), "sweep", "pipeline", "nested" (see NestedRun), or "trial"
  /// (see TrackedTrial)
  std::string kind;
  std::string name, target, user, state, cause;
  std::string submit_id = {};  ///< the submit-id of the run's jobs
  std::string job_id = {};     ///< for a submit with artifacts: the id under which its metrics are recorded
  Time time = {};              ///< when the run started
  std::optional<Time> finished = {};
  std::map<std::string, Json> parameters = {};  ///< the run's parameters: numbers, texts and booleans
  job::RunMetrics metrics = {};
  std::map<std::string, std::string> tags = {};
  std::string note = {};
  /// Other facts that may differ, such as command, image and its digest, commit, changes, code, folder, GPUs,
  /// the digest of the lock of its packages, Python, attempts of the steps of a pipeline (0 if all results
  /// were cached), GPU hours. Facts with empty texts are left out.
  std::map<std::string, std::string> facts = {};
  /// runs of kind "nested"; their ids are "ID/SUFFIX", where ID is this run's id
  std::vector<TrackedRun> nested = {};
  /// for a nested run: the id of its parent if that is also a nested run
  std::string parent = {};
};

/// The parameters in a command and in the variables of `container`. Words such as --lr=0.1, --lr 0.1 and
/// lr=0.1 have the name "lr", a flag without a value has the value true, and a variable has the name
/// "env.LR". The program itself is not a parameter, and neither are variables that kml sets.
std::map<std::string, Json> parameters_of(const std::vector<std::string>& command, const Json& container);

/// Whether kml submitted the jobs for its own purposes, such as to delete old data. Such submits are not
/// runs.
bool is_maintenance(const job::Submission& run);
TrackedRun tracked_submit(const job::Submission& run, const job::RunNotes& notes);
/// The run for a submit whose objects were not read. It lacks the name, kind, state, target and facts, and
/// the variables ("env.V").
TrackedRun outline_of_submit(const job::Submission& run, const job::RunNotes& notes);
/// Prefixes of a name that stands for a parameter, or for a metric, even if the other has that name, too:
/// "parameters.lr" and "metrics.lr".
inline constexpr std::string_view kParameterPrefix = "parameters.", kMetricPrefix = "metrics.";
/// The name without such a prefix.
std::string_view without_sort(std::string_view name);

/// Whether value_of() returns the same for outline_of_submit() as for the whole run.
bool is_in_outline(const std::string& name);
TrackedRun tracked_sweep(const sweep::SweepState& state, const job::RunNotes& notes);

/// The parts from which the keys of steps were computed, by key. The journal of a cached step has only the
/// key, so its parts come from the run that made the result.
using PartsByKey = std::map<std::string, Json>;
/// The run of a pipeline. For a submit with artifacts, which is a run of one step, the parameters are those
/// of its command. `of_job` has what was recorded under the id of its job.
TrackedRun tracked_pipeline(const pipeline::RunState& state, const job::RunNotes& notes,
                            const PartsByKey& known, const job::RunNotes& of_job);
/// The words of a step's command or variable as the user typed them. In the file of a submit with artifacts,
/// each "$" that does not begin a placeholder is doubled.
std::vector<std::string> typed_words(const Json& words);
/// Whether the run is a submit with artifacts.
bool is_submit(const pipeline::RunState& state);

/// The value of a name in a condition or a sort order: a parameter, a metric (its last value; "loss.min" and
/// "loss.max" are its extremes), "tags.T", "state", "kind", "name", "user" or "note". Null if the run has no
/// such value. A metric takes precedence over a parameter with the same name, unless the name has a prefix.
/// For a pipeline, "accuracy" also means "train.accuracy" if only one of its steps has such a metric and no
/// parameter has that name.
Json value_of(const TrackedRun& run, const std::string& name);

/// The names for which value_of() may return a value in these runs, or in runs nested in them, without
/// prefixes.
std::vector<std::string> known_names(const std::vector<TrackedRun>& runs);
/// Whether the name is one of these, or a tag.
bool is_known_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace kml::tracking
