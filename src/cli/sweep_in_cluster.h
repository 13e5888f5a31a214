#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster_engine.h"
#include "kml/jobs/sweep/sweep_objects.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

/// A sweep whose engine runs in the cluster, read from its ConfigMap.
struct ClusterSweep {
  jobs::SweepMarks marks;
  Json object;

  ClusterEngine engine() const;
  /// The sweep, in kml's own format.
  Json document() const { return engine().document(); }
};

/// In the target's namespace; never on this machine.
std::optional<ClusterSweep> find_cluster_sweep(Context& context, const std::string& name);
/// As find_cluster_sweep(), but nothing if this machine has a sweep of that name, which takes precedence.
std::optional<ClusterSweep> find_only_in_cluster(Context& context, const std::string& name);
std::vector<ClusterSweep> cluster_sweeps(Context& context);

/// Reads its journal so far. Throws Error if its engine has not started.
void read_cluster_sweep(Context& context, const ClusterSweep& sweep,
                        const std::function<void(const sweep::Record& record)>& take);

/// Where its journal is, and how to remove it from there: deleting the sweep does not.
std::string journal_in_words(const ClusterSweep& sweep);

/// Starts the sweep, or continues it. Throws Error if it cannot run, or is running.
void run_in_cluster(Context& context, const sweep::SweepSpec& spec, const InClusterFlags& flags,
                    const std::vector<jobs::Belonging>& secrets);

void resume_in_cluster(Context& context, const ClusterSweep& sweep);
/// Where no engine runs, one is started to end the trials.
void stop_in_cluster(Context& context, const ClusterSweep& sweep, sweep::StopWish wish);

}  // namespace kml::cli
