#pragma once

#include <string>
#include <vector>

#include "kml/api/dependency.h"
#include "kml/jobs/in_cluster/engine_job.h"
#include "kml/jobs/views/interrupt.h"

/// What the embedded server does by itself for a job that waits for others (kml.dev/after), done by a small
/// pod on clusters: the job is there from the start, suspended, and shows what it waits for.
namespace kml::jobs {

/// Of what belongs to the pod that waits for the job. They die with the job, which owns them.
EngineMarks due_marks(const Json& job);

/// `kml start-when-due KIND NAME`, which may change no other job than this one.
EngineProgram due_program(const Json& job);

/// Waits until the others have ended, and starts the job; it may be cut off and called again at any time.
/// Returns, too, once the job does not wait any more: somebody resumed, cancelled or deleted it. Throws Error
/// (job_failed) if another one ended so that the job must not start, which stands in its annotation then.
void start_when_due(kube::Client& client, const std::string& namespace_name, const std::string& kind,
                    const std::string& name, const Interrupt& interrupt);

/// One look: the jobs that it still waits for; it starts the job if there are none.
std::vector<Json> start_if_due(kube::Client& client, const std::string& namespace_name,
                               const std::string& kind, const std::string& name);

}  // namespace kml::jobs
