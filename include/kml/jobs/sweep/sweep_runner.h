#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kml/jobs/submit/belongings.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::jobs {

struct SweepRunnerOptions {
  std::string sweep;      ///< its name: the label of all its objects
  std::string submit_id;  ///< its id: objects that carry it are its own
  std::string namespace_name;
  std::string resource;                   ///< the metric that counts what a trial has used
  std::string file;                       ///< where trials write their metrics; empty: to their logs
  std::vector<std::string> filters = {};  ///< Katib's regular expressions, where it has some
  std::vector<std::string> metrics = {};  ///< that are read from every line in which they are
  bool reads_logs = true;                 ///< else metrics are in termination messages alone
  bool is_patient = true;  ///< a trial's first second may be read late: nothing is decided by it
  /// Told when the server gave no answer, and will be asked again.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
  /// The manifest of a job, without name and labels.
  std::function<Json(const sweep::TrialJob&)> manifest;
  /// The file of a job, where its path has holes.
  std::function<std::string(const sweep::TrialJob&)> file_of = {};
};

/// Adds to the containers of a trial's manifest what its command may ask for: KML_SWEEP, KML_TRIAL, and
/// KML_CHECKPOINT where the trial has a folder for checkpoints.
void add_trial_environment(Json& object, const std::string& sweep, const sweep::TrialJob& job);

/// What is sent for a trial's job: its manifest with name, labels, the trial's environment, and away
/// from nodes that failed others.
Json trial_manifest(const SweepRunnerOptions& options, const sweep::TrialJob& job);

/// All trials of a sweep without obstacles (kml/sweep/indexed_template.h) as one Indexed Job a wave, and its
/// table as ConfigMaps that the Job owns. `server` is as in Belongings. `client`, `spec` and `interrupt` must
/// outlive the result. Its start() throws Error if the Job cannot be made.
std::unique_ptr<sweep::Runner> make_indexed_runner(kube::Client& client, SweepRunnerOptions options,
                                                   const sweep::SweepSpec& spec, std::string server,
                                                   const Interrupt& interrupt);

/// A wave as make_indexed_runner() sends it.
struct IndexedObjects {
  Json job;
  std::vector<Belonging> tables;  ///< ConfigMaps, which it is to own
};
/// `jobs` are all of the wave, in order.
IndexedObjects indexed_objects(const SweepRunnerOptions& options, const sweep::SweepSpec& spec,
                               const std::string& name, const std::vector<sweep::TrialJob>& jobs);

/// Trials as jobs on a server: one watch for the jobs, one for their pods, and each pod's log while it runs.
/// `client` and `interrupt` must outlive the result. Throws Error if the watches are refused.
std::unique_ptr<sweep::Runner> make_sweep_runner(kube::Client& client, SweepRunnerOptions options,
                                                 const Interrupt& interrupt);

}  // namespace kml::jobs
