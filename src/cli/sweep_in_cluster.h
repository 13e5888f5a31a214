#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/jobs/sweep/sweep_engine.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

/// How `kml sweep run --in-cluster` is to run the engine.
struct InClusterFlags {
  bool in_cluster = false;
  std::string image, volume, account;
};

void add_in_cluster_flags(Command& command, InClusterFlags& flags);

/// Throws usage Error if these flags are not for this command, or the target is this machine.
void require_cluster(Context& context, const InClusterFlags& flags);

/// A sweep whose engine runs in the cluster, read from its ConfigMap.
struct ClusterSweep {
  jobs::SweepMarks marks;
  Json object;

  /// The sweep, in kml's own format.
  Json document() const;
};

/// In the target's namespace; never on this machine.
std::optional<ClusterSweep> find_cluster_sweep(Context& context, const std::string& name);
/// As find_cluster_sweep(), but nothing if this machine has a sweep of that name, which takes precedence.
std::optional<ClusterSweep> find_only_in_cluster(Context& context, const std::string& name);
std::vector<ClusterSweep> cluster_sweeps(Context& context);

/// Reads its journal so far. Throws Error if its engine has not started.
void read_cluster_sweep(Context& context, const ClusterSweep& sweep,
                        const std::function<void(const sweep::Record& record)>& take);

/// "engine: job lr1-engine waits: not enough CPU free on 3 nodes".
std::string engine_in_words(Context& context, const ClusterSweep& sweep);

/// Where its journal is, and how to remove it from there: deleting the sweep does not.
std::string journal_in_words(const ClusterSweep& sweep);

/// Starts the sweep, or continues it. Throws Error if it cannot run, or is running.
void run_in_cluster(Context& context, const sweep::SweepSpec& spec, const InClusterFlags& flags,
                    const std::vector<jobs::Belonging>& secrets);

void resume_in_cluster(Context& context, const ClusterSweep& sweep);
/// Where no engine runs, one is started to end the trials.
void stop_in_cluster(Context& context, const ClusterSweep& sweep, sweep::StopWish wish);

bool engine_runs(Context& context, const ClusterSweep& sweep);
/// Throws Error if its engine runs.
void require_idle_engine(Context& context, const ClusterSweep& sweep);

}  // namespace kml::cli
