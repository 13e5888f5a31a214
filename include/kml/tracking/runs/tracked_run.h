#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/records/records.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/sweep/engine/sweep_state.h"

namespace kml::tracking {

/// A submit, a sweep or a pipeline's run, in the terms in which runs are compared.
struct TrackedRun {
  /// 16 hexadecimal digits for a submit and for an engine in a cluster, otherwise "sweep/NAME" or "run/NAME".
  std::string id;
  std::string kind;  ///< "job", "sweep", "pipeline", "nested" (see NestedRun)
  std::string name, target, user, state, cause;
  std::string submit_id = {};  ///< of its jobs
  std::string job_id = {};     ///< for a submit with artifacts: the id under which its metrics are recorded
  Time time = {};              ///< the time of its start
  std::optional<Time> finished = {};
  std::map<std::string, Json> parameters = {};  ///< numbers and texts
  job::RunMetrics metrics = {};
  std::map<std::string, std::string> tags = {};
  std::string note = {};
  /// Other facts that may differ: command, image and its digest, commit, changes, code, folder, GPUs,
  /// attempts of the steps of a pipeline (0 if all results are earlier ones), GPU hours. Without empty texts.
  std::map<std::string, std::string> facts = {};
  std::vector<TrackedRun> nested = {};  ///< of kind "nested"; their ids are "ID/SUFFIX" with this run's id
  std::string parent = {};              ///< for a nested run: id of its parent, if that is nested too
};

/// The parameters in a command and in the variables of its first container: --lr=0.1, --lr 0.1 and lr=0.1 as
/// "lr", a flag without a value as true, a variable as "env.LR". The program itself is not a parameter.
std::map<std::string, Json> parameters_of(const std::vector<std::string>& command, const Json& container);

TrackedRun tracked_submit(const job::Submission& run, const job::RunNotes& notes);
/// A submit whose objects were not read: without name, kind, state, and what its pods have, "env.V" and
/// image.
TrackedRun outline_of_submit(const job::Submission& run, const job::RunNotes& notes);
/// Whether value_of(outline_of_submit(…), name) is that of the whole run.
bool is_in_outline(const std::string& name);
TrackedRun tracked_sweep(const sweep::SweepState& state, const job::RunNotes& notes);

/// The parts of the keys of steps, by key: what a step was made from, if an earlier run has made its result.
using PartsByKey = std::map<std::string, Json>;
/// A submit with artifacts, which is a run of one step, has the parameters of its command. `of_job` is what
/// was recorded about it by the id of its job.
TrackedRun tracked_pipeline(const pipeline::RunState& state, const job::RunNotes& notes,
                            const PartsByKey& known, const job::RunNotes& of_job);
/// The words of a step's command or variable as they were typed: in the file of a submit with artifacts, each
/// "$" that is not a placeholder's is doubled.
std::vector<std::string> typed_words(const Json& words);
/// Whether the run is a submit with artifacts.
bool is_submit(const pipeline::RunState& state);

/// The value with a name in a condition or an order: a parameter, a metric (its last value; "loss.min" and
/// "loss.max" for the extremes), "tags.T", "state", "kind", "name", "user" or "note". Null if the run has
/// none. A metric takes precedence over a parameter with the same name. Of a pipeline, "accuracy" is also
/// "train.accuracy", if only one of its steps has such a metric.
Json value_of(const TrackedRun& run, const std::string& name);

/// All names that value_of() knows in any of the runs.
std::vector<std::string> known_names(const std::vector<TrackedRun>& runs);

}  // namespace kml::tracking
