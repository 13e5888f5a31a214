#pragma once

#include <string>

#include "cli/run_in_cluster.h"
#include "kml/spec/timetable.h"

namespace kml::cli {

/// Creates a CronJob on the cluster each of whose pods is the engine of a run, named as its job. `record` is
/// the first record of their journals, without name, id and times. The files and the account of the engines
/// belong to the CronJob. Throws Error if they cannot run.
void schedule_in_cluster(Context& context, const PipelineHere& here, const std::string& name,
                         const Json& record, const jobs::EngineOptions& options,
                         const spec::Timetable& timetable);

/// Called in the pod of such a CronJob. Returns the run that its job, `job`, is to run. Creates it if this is
/// the job's first pod; it is deleted with the job. Throws Error if there is no such schedule.
ClusterEngine run_of_schedule(Context& context, const std::string& schedule, const std::string& job);

}  // namespace kml::cli
