#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kml/engine/watching/job_runner.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

struct SweepRunnerOptions {
  std::string sweep;      ///< the sweep's name, which is a label on all its objects
  std::string submit_id;  ///< the sweep's id, which is the submit-id of its own objects
  std::string namespace_name;
  std::string resource;                   ///< the metric that shows how far a trial has come
  Collector collector;                    ///< where trials report their metrics
  std::vector<std::string> metrics = {};  ///< metrics to read from each line that contains them
  TrialConditions conditions = {};
  std::optional<engine::EndConditions> ends = {};  ///< see ends_of_trials()
  /// Whether a trial's log may be read 1 s late, which saves requests for short trials. No decision needs it
  /// earlier.
  bool is_patient = true;
  /// Called before a request is repeated because the server did not respond or failed.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
  /// Makes the manifest for a job, without its name and labels.
  std::function<Json(const TrialJob&)> manifest;
  /// Makes the path of the metrics file for a job, if the path contains placeholders.
  std::function<std::string(const TrialJob&)> file_of = {};
};

/// How to recognize that a trial of an unknown kind has ended: by the sweep's conditions, or by those of the
/// training operator's kinds. Empty for kinds that kml knows. Throws usage Error if the kind is unknown and
/// the sweep lacks one of the two conditions.
std::optional<engine::EndConditions> ends_of_trials(const SweepSpec& spec);

/// Adds the trial's environment variables to the containers in its manifest: KML_SWEEP and KML_TRIAL, and
/// KML_CHECKPOINT if the trial has a checkpoint folder.
void add_trial_environment(Json& object, const std::string& sweep, const TrialJob& job);

/// The complete object for a trial's job: its manifest with name, labels and environment, and an affinity
/// that avoids nodes on which other trials failed.
Json trial_manifest(const SweepRunnerOptions& options, const TrialJob& job);

/// Runs all trials of a sweep, with one Indexed Job per wave. The sweep must have no obstacles
/// (sweep/spec/indexed_template.h). The Job owns ConfigMaps with the table of its trials. `server` is as in
/// Belongings. `client`, `spec` and `interrupt` must outlive the result. start() or a later wait() throws
/// Error if the server rejects the Job.
std::unique_ptr<Runner> make_indexed_runner(kube::Client& client, SweepRunnerOptions options,
                                            const SweepSpec& spec, std::string server,
                                            const job::Interrupt& interrupt);

/// The objects that make_indexed_runner() sends for a wave.
struct IndexedObjects {
  Json job;
  std::vector<job::Belonging> tables;  ///< ConfigMaps that the job will own
};
/// `jobs` are all jobs in the wave, in order.
IndexedObjects indexed_objects(const SweepRunnerOptions& options, const SweepSpec& spec,
                               const std::string& name, const std::vector<TrialJob>& jobs);

/// Runs trials as jobs on a server. Watches the jobs and their pods, and follows the log of each running pod.
/// `client` and `interrupt` must outlive the result. wait() throws Error if the server rejects the watches.
std::unique_ptr<Runner> make_sweep_runner(kube::Client& client, SweepRunnerOptions options,
                                          const job::Interrupt& interrupt);

}  // namespace kml::sweep
