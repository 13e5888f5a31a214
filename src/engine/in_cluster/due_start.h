#pragma once

#include <string>
#include <vector>

#include "kml/engine/in_cluster/engine_job.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/objects/dependency.h"

/// Starts a job that waits for others (kml.dev/after) on a cluster, with a small pod. The embedded server
/// does this itself. The job exists from the start; it is suspended and shows what it waits for.
namespace kml::engine {

/// The marks of the objects of the pod that waits. The job owns these objects, so they are deleted with it.
EngineMarks due_marks(const Json& job);

/// The program `kml start-when-due KIND NAME`. Its rights only allow it to change this job.
EngineProgram due_program(const Json& job);

/// Waits until the other jobs have ended, then starts the job. It may be interrupted and called again at any
/// time. Also returns if the job no longer waits, because a user resumed, cancelled or deleted it. Throws
/// Error (job_failed) if another job's end means that this one must not start; the reason is then in this
/// job's annotation.
void start_when_due(kube::Client& client, const std::string& namespace_name, const std::string& kind,
                    const std::string& name, const job::Interrupt& interrupt);

/// Checks once. Returns the jobs that the job still waits for. If it waits for none, starts it.
std::vector<Json> start_if_due(kube::Client& client, const std::string& namespace_name,
                               const std::string& kind, const std::string& name);

}  // namespace kml::engine
