#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/engine/job_report.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// How an engine's jobs are made and watched: those of a sweep's trials, or of a pipeline's steps.
struct WatchOptions {
  /// Of a job's name that a job of somebody else has: `what` is "job NAME already exists and does not belong
  /// to OWNER", `fix` is "FIX, or `kml delete NAME`".
  struct TakenName {
    std::string owner;  ///< "this sweep"
    std::string why;    ///< "a trial's job needs that name"
    std::string fix;    ///< "give the sweep another name"
  };

  std::string label_selector;  ///< what the jobs and their pods carry, and no other object does
  std::string submit_id;       ///< of the label kml.dev/submit-id: a job that carries it is the engine's own
  std::string namespace_name;
  TakenName taken;
  std::string resource = {};              ///< the metric that counts what a job has used
  std::vector<std::string> filters = {};  ///< Katib's regular expressions, where there are some
  std::vector<std::string> metrics = {};  ///< that are read from every line in which they are
  bool reads_logs = true;                 ///< else metrics are in termination messages alone
  bool is_patient = true;                 ///< a job's first second may be read late: nothing is decided by it
  bool are_alike = false;  ///< the jobs ask for the same: why one waits is why all without pods wait
  /// Called when the server gave no answer, and will be asked again.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
};

/// Jobs on a server, each made exactly once and watched to its end: a watch for each of their kinds, one for
/// their pods, and each pod's log while it runs.
class JobRunner {
 public:
  virtual ~JobRunner() = default;
  /// Creates the jobs, or takes over those of their names that this engine created earlier; their values are
  /// then reported again. The manifests are complete, with names, and labels that suit the options. What is
  /// wrong with a single job comes as a report. Throws Error if this user may not create jobs at all, if a
  /// job of somebody else has the name, or if the server does not know the kind.
  virtual void start(const std::vector<Json>& objects) = 0;
  /// Ends a job, with its grace. Its end is still reported.
  virtual void stop(const std::string& name) = 0;
  /// What happened since, waiting at most so long for something. Throws Error (interrupted) on a signal, and
  /// if a watch was refused.
  virtual std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) = 0;
};

/// `client` and `interrupt` must outlive the result. Throws Error for a filter that is not a regular
/// expression, once a job is started.
std::unique_ptr<JobRunner> make_job_runner(kube::Client& client, WatchOptions options,
                                           const Interrupt& interrupt);

}  // namespace kml::jobs
