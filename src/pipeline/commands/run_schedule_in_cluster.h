#pragma once

#include <string>
#include <vector>

#include "kml/job/spec/timetable.h"
#include "pipeline/commands/run_in_cluster.h"

namespace kml::cli {

/// Creates a CronJob on the cluster. Each of its pods is the engine of a run. The run has the name of the
/// pod's job. `record` is the first record for the journals of these runs, without name, id and times. The
/// CronJob owns the engines' files and account. Throws Error if the pods cannot run.
void schedule_in_cluster(Context& context, const PipelineHere& here, const std::string& name,
                         const pipeline::record::Run& record, const engine::EngineOptions& options,
                         const spec::Timetable& timetable);

/// The marks for the objects of a schedule in the cluster.
engine::EngineMarks schedule_marks(const std::string& name, const std::string& id,
                                   const std::string& namespace_name);

/// The parts of a schedule whose pods run kml.
struct ScheduleParts {
  Json document;              ///< the content of its ConfigMap
  std::vector<Json> secrets;  ///< Secrets that the schedule owns
  engine::EngineProgram program;
  engine::EngineOptions options;
  bool are_engines = true;  ///< whether its pods keep a journal and are retried
};

/// Creates the CronJob for `marks`, and the objects that its pods need. The CronJob owns these objects.
/// Throws Error if the pods cannot run.
void make_schedule(Context& context, const engine::EngineMarks& marks, const ScheduleParts& parts,
                   const spec::Timetable& timetable);

/// Makes the job the owner of the run's objects, unless they already have an owner.
void delete_with_job(Context& context, const ClusterEngine& run, const Json& job);

/// Called in a pod of the schedule's CronJob. Returns the run for the pod's job, `job`. Creates the run if
/// this is the job's first pod; the run is deleted with the job. Throws Error if the schedule does not exist.
ClusterEngine run_of_schedule(Context& context, const std::string& schedule, const std::string& job);

}  // namespace kml::cli
