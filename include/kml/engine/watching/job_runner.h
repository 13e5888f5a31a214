#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/json_query.h"
#include "kml/engine/loop/runner.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"

namespace kml::engine {

/// How the end of a job is recognized: at one of the paths, its object then has an object, or a list that is
/// not empty. This is Katib's rule (pkg/controller.v1beta1/trial/util/job_util.go).
struct EndConditions {
  JsonQuery success, failure;
};

/// The end of a job according to them; empty while it runs.
struct SeenEnd {
  bool succeeded = false;
  std::string cause = {};  ///< of a failure: its reason and message, if the object has them
};
std::optional<SeenEnd> seen_end(const EndConditions& ends, const Json& job);

/// How to create and watch an engine's jobs: those of a sweep's trials or a pipeline's steps.
struct WatchOptions {
  /// The error if a job of another owner already has the name: `what` is "job NAME already exists and does
  /// not belong to OWNER", `fix` is "FIX, or `kml delete NAME`".
  struct TakenName {
    std::string owner;  ///< "this sweep"
    std::string why;    ///< "a trial's job needs that name"
    std::string fix;    ///< "give the sweep another name"
  };

  std::string label_selector;  ///< selects the jobs and their pods, and no other objects
  std::string submit_id;       ///< the label kml.dev/submit-id of the engine's own jobs
  std::string namespace_name;
  TakenName taken;
  std::string resource = {};              ///< the metric that measures a job's progress
  std::vector<std::string> filters = {};  ///< Katib's regular expressions, if any
  std::vector<std::string> metrics = {};  ///< metrics to read from every line that has them
  bool reads_events = false;              ///< metrics are parts of event files, see MetricReader
  bool reads_logs = true;                 ///< otherwise reads metrics only from termination messages
  /// Whether a job logs metrics. The log of another is read only if a pod has failed, for its last lines.
  std::function<bool(const std::string& job)> has_metrics = [](const std::string&) { return true; };
  /// Whether a job's log may be read 1 s late, which saves requests for short jobs. No decision needs it
  /// sooner.
  bool is_patient = true;
  bool are_alike =
      false;  ///< the jobs have equal requests, so all jobs without pods wait for the same reason
  /// If its container is not empty, metrics are read only from it, in pods that have it; if there are labels,
  /// only from pods with all of them.
  std::string container = {};
  std::map<std::string, std::string> pod_labels = {};
  /// How jobs end whose kind kml does not know; empty for the others.
  std::optional<EndConditions> ends = {};
  /// Called for each read of a job that has not ended. Tests count these reads.
  std::function<void()> on_look = [] {};
  /// Called before a retry because the server did not respond.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
};

/// Runs jobs on a server. Creates each exactly once and watches it to its end, with one watch per kind, one
/// for pods, and the log of each running pod.
///
/// The manifests must be complete, with names, and with labels that match the options. If only a single job
/// is faulty, this is reported later. start() throws Error if the user may not create jobs, if a job of
/// another owner has the name, or if the server does not know the kind; wait() also if a watch was rejected.
using JobRunner = Runner<Json>;

/// `client` and `interrupt` must outlive the result. Throws Error for a filter that is not a regular
/// expression, once a job is started.
std::unique_ptr<JobRunner> make_job_runner(kube::Client& client, WatchOptions options,
                                           const job::Interrupt& interrupt);

}  // namespace kml::engine
