#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/belongings.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

/// How many trials the sweep runs at most: "24 trials". This is never more than the number of points in the
/// space.
std::string amount_of_trials(const sweep::SweepSpec& spec);

/// Prints the number of trials, the algorithm, and the first trials.
int show_plan(Context& context, const sweep::SweepSpec& spec);

/// Called before a sweep starts. Throws Error if its first trial would fail, or would wait forever.
void refuse_impossible_trials(Context& context, const sweep::SweepSpec& spec,
                              const std::vector<job::Belonging>& secrets);

/// If --fan-out was not given, chooses it: the value in `before` (the sweep to continue), or the best one for
/// a new sweep.
void choose_fan_out(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source);

/// On this machine, all trials share the same files. If trials run at the same time, and their command,
/// arguments or variables contain the path of their metrics file, gives each trial its own file, and prints a
/// note. A sweep that continues (`before`) keeps its files.
void separate_files(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source);

/// Throws usage Error if a sweep with population-based training on a cluster has its checkpoint folder
/// outside the volumes that trials share, because checkpoints are copied between trials.
void require_shared_checkpoints(Context& context, const sweep::SweepSpec& spec);

/// On this machine, all trials share the same files. Throws usage Error if trials that run at the same time
/// would write their metrics to the same file.
void refuse_shared_file(Context& context, const sweep::SweepSpec& spec);

}  // namespace kml::cli
