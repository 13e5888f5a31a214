#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/commands/cluster_engine.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/runner.h"

namespace kml::cli {

/// A sweep whose engine runs in the cluster, read from its ConfigMap.
struct ClusterSweep {
  sweep::SweepMarks marks;
  Json object;

  ClusterEngine engine() const;
  /// The sweep's document in kml's own format.
  Json document() const { return engine().document(); }
  /// The facts about the code, in the form of record::Sweep::code.
  Json code() const;
};

/// Searches the target's namespace. Returns nothing if the target is the embedded server.
std::optional<ClusterSweep> find_cluster_sweep(Context& context, const std::string& name);
/// Like find_cluster_sweep(), but returns nothing if this machine has a sweep with that name, because that
/// sweep is preferred.
std::optional<ClusterSweep> find_only_in_cluster(Context& context, const std::string& name);
std::vector<ClusterSweep> cluster_sweeps(Context& context);

/// Reads the journal of the sweep up to now. Throws Error if the sweep's engine has not started.
void read_cluster_sweep(Context& context, const ClusterSweep& sweep,
                        const std::function<void(const sweep::Record& record)>& take);

/// Says where the journal is and how to delete it, because it remains when the sweep is deleted.
std::string journal_in_words(const ClusterSweep& sweep);

/// Starts or continues the sweep. `code` is called for a new sweep; see record::Sweep. Throws Error if the
/// sweep cannot run, or if it is already running.
void run_in_cluster(Context& context, const sweep::SweepSpec& spec, const InClusterFlags& flags,
                    const std::vector<job::Belonging>& secrets, const std::function<Json()>& code);

void resume_in_cluster(Context& context, const ClusterSweep& sweep);
/// Stops the sweep. If its engine is not running, starts one that ends the trials.
void stop_in_cluster(Context& context, const ClusterSweep& sweep, sweep::StopWish wish);

}  // namespace kml::cli
