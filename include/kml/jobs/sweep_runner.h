#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kml/jobs/interrupt.h"
#include "kml/kube/client.h"
#include "kml/sweep/runner.h"

namespace kml::jobs {

struct SweepRunnerOptions {
  std::string sweep;      ///< its name: the label of all its objects
  std::string submit_id;  ///< its id: objects that carry it are its own
  std::string namespace_name;
  std::string resource;                   ///< the metric that counts what a trial has used
  std::string file;                       ///< where trials write their metrics; empty: to their logs
  std::vector<std::string> filters = {};  ///< Katib's regular expressions, where it has some
  /// The manifest of a job, without name and labels.
  std::function<Json(const sweep::TrialJob&)> manifest;
};

/// What is sent for a trial's job: its manifest with name, labels, the environment KML_SWEEP and KML_TRIAL,
/// and away from nodes that failed others.
Json trial_manifest(const SweepRunnerOptions& options, const sweep::TrialJob& job);

/// Trials as jobs on a server: one watch for the jobs, one for their pods, and each pod's log while it runs.
/// `client` and `interrupt` must outlive the result. Throws Error where the watches are refused.
std::unique_ptr<sweep::Runner> make_sweep_runner(kube::Client& client, SweepRunnerOptions options,
                                                 const Interrupt& interrupt);

}  // namespace kml::jobs
