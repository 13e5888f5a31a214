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
#include "kml/job/packages/locked.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"

namespace kml::engine {

/// JobReport::cause if the job was cancelled.
inline constexpr std::string_view kJobCancelled = "its job was cancelled";

/// How to recognize that a job has ended: one of the paths then leads to an object or a list that is not
/// empty. This is Katib's rule (pkg/controller.v1beta1/trial/util/job_util.go).
struct EndConditions {
  JsonQuery success, failure;
};

/// The job's end according to these conditions; empty while the job is running.
struct SeenEnd {
  bool succeeded = false;
  std::string cause = {};  ///< for a failure: the object's reason and message; without both, "it failed"
};
std::optional<SeenEnd> seen_end(const EndConditions& ends, const Json& job);

/// How to create and watch an engine's jobs: the jobs of a sweep's trials or a pipeline's steps.
struct WatchOptions {
  /// The error if another owner's job already has the name: `what` is "job NAME already exists and does not
  /// belong to OWNER", and `fix` is "FIX, or `kml delete NAME`".
  struct TakenName {
    std::string owner;  ///< "this sweep"
    std::string why;    ///< the cause in a message, such as "a trial's job needs that name"
    std::string fix;    ///< the advice in a message, such as "give the sweep another name"
  };

  std::string label_selector;  ///< selects the jobs and their pods, and no other objects
  std::string submit_id;       ///< the value of the label kml.dev/submit-id on the engine's own jobs
  std::string namespace_name;
  TakenName taken;
  std::string resource = {};              ///< the metric that shows how far a job has come
  std::vector<std::string> filters = {};  ///< Katib's regular expressions, if any
  std::vector<std::string> metrics = {};  ///< metrics to read from each line that contains them
  bool reads_events = false;              ///< whether metrics are in parts of event files, see MetricReader
  bool reads_logs = true;                 ///< if false, metrics are only read from termination messages
  /// Whether a job logs metrics. If not, its log is only read after a pod has failed, to show the last lines.
  std::function<bool(const std::string& job)> has_metrics = [](const std::string&) { return true; };
  /// Whether a job's log may be read 1 s late, which saves requests for short jobs. Set if no decision needs
  /// the log earlier.
  bool is_patient = true;
  bool are_alike =
      /// whether all jobs have the same requests; all jobs without pods then wait for the same reason
      false;
  /// If the container is set, reads metrics only from this container, in pods that have it. If there are
  /// labels, reads metrics only from pods that have all of them.
  std::string container = {};
  std::map<std::string, std::string> pod_labels = {};
  /// How to recognize the end of jobs whose kind kml does not know; empty for other kinds.
  std::optional<EndConditions> ends = {};
  /// Called each time the runner checks a job whose end it has not reported. Tests count these calls.
  std::function<void()> on_look = [] {};
  /// Called before a request is repeated because the server did not respond or failed.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
  /// Called for each log line in which a pod names its environment of packages.
  std::function<void(const packages::NamedEnvironment&)> on_environment = [](const auto&) {};
};

/// Runs jobs on a server. Creates each job exactly once, and watches it until it ends, with one watch for
/// each kind, one watch for pods, and the log of each running pod. Manifests must be complete, with names,
/// and with labels that match the options. A fault of a single job is reported later. start() throws Error if
/// the user may not create jobs, if another owner's job already has the name of one of the jobs, or if the
/// server does not know the kind. wait() also throws these Errors, and another one if a watch was rejected.
using JobRunner = Runner<Json>;

/// `client` and `interrupt` must outlive the result. If a filter is not a regular expression, the first
/// start() throws Error.
std::unique_ptr<JobRunner> make_job_runner(kube::Client& client, WatchOptions options,
                                           const job::Interrupt& interrupt);

}  // namespace kml::engine
