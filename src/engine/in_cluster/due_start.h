#pragma once

#include <string>
#include <vector>

#include "kml/engine/in_cluster/engine_job.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/objects/dependency.h"

/// A small pod that starts a job once the jobs it waits for (kml.dev/after) have ended. Only a cluster needs
/// the pod: the embedded server starts such jobs itself. The waiting job exists from the start; it is
/// suspended, and shows the jobs it waits for.
namespace kml::engine {

/// The marks for the objects of the waiting pod. The job owns these objects, so they are deleted with it.
EngineMarks due_marks(const Json& job);

/// The program of the waiting pod, `kml start-when-due KIND NAME`. The pod may read the jobs that this job
/// waits for, but it may change only this job.
EngineProgram due_program(const Json& job);

/// Waits until the other jobs have ended, then starts the job. May be interrupted and called again at any
/// time. Also returns if the job no longer waits, because a user has resumed, cancelled or deleted it. Throws
/// Error (job_failed) if this job must not start, because another job ended in the wrong way or was deleted.
/// The job's annotation then has the reason.
void start_when_due(kube::Client& client, const std::string& namespace_name, const std::string& kind,
                    const std::string& name, const job::Interrupt& interrupt);

/// Checks once, and starts the job if it has nothing left to wait for. Returns the jobs it still waits for.
/// Throws Error as start_when_due() does.
std::vector<Json> start_if_due(kube::Client& client, const std::string& namespace_name,
                               const std::string& kind, const std::string& name);

}  // namespace kml::engine
