#pragma once

#include <string>
#include <vector>

#include "kml/job/spec/timetable.h"
#include "pipeline/commands/run_in_cluster.h"

namespace kml::cli {

/// Creates a CronJob on the cluster each of whose pods is the engine of a run, named as its job. `record` is
/// the first record of their journals, without name, id and times. The files and the account of the engines
/// belong to the CronJob. Throws Error if they cannot run.
void schedule_in_cluster(Context& context, const PipelineHere& here, const std::string& name,
                         const pipeline::record::Run& record, const engine::EngineOptions& options,
                         const spec::Timetable& timetable);

/// The marks of the objects of a schedule in the cluster.
engine::EngineMarks schedule_marks(const std::string& name, const std::string& id,
                                   const std::string& namespace_name);

/// The parts of a schedule whose pods run kml.
struct ScheduleParts {
  Json document;              ///< for its ConfigMap
  std::vector<Json> secrets;  ///< that it owns
  engine::EngineProgram program;
  engine::EngineOptions options;
  bool are_engines = true;  ///< the pods keep a journal, and are retried
};

/// Creates the CronJob of `marks`, with the objects that its pods need, which belong to it. Throws Error if
/// they cannot run.
void make_schedule(Context& context, const engine::EngineMarks& marks, const ScheduleParts& parts,
                   const spec::Timetable& timetable);

/// Makes the job own the run's objects, unless they already have an owner.
void delete_with_job(Context& context, const ClusterEngine& run, const Json& job);

/// Called in the pod of such a CronJob. Returns the run that its job, `job`, is to run. Creates it if this is
/// the job's first pod; it is deleted with the job. Throws Error if there is no such schedule.
ClusterEngine run_of_schedule(Context& context, const std::string& schedule, const std::string& job);

}  // namespace kml::cli
