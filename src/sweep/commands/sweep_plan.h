#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/belongings.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

/// Prints the search space and the first trials.
int show_plan(Context& context, const sweep::SweepSpec& spec);

/// Called before a sweep starts. Throws Error if all of its trials would fail or wait forever.
void refuse_impossible_trials(Context& context, const sweep::SweepSpec& spec,
                              const std::vector<job::Belonging>& secrets);

/// Chooses --fan-out if it was not given: the value in `before` (the sweep to continue), or the best value
/// for a new sweep.
void choose_fan_out(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source);

/// On this machine, all trials share the same files. Gives each trial a separate metrics file if trials run
/// at the same time and the path of their file is in their command, arguments or variables; prints a note. A
/// sweep that continues (`before`) keeps what it has.
void separate_files(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source);

/// Population-based training copies checkpoints between trials. Throws usage Error if their folder is not in
/// a volume on a cluster.
void require_shared_checkpoints(Context& context, const sweep::SweepSpec& spec);

/// On this machine, all trials share the same files. Throws usage Error if trials that run at the same time
/// would write their metrics into the same file.
void refuse_shared_file(Context& context, const sweep::SweepSpec& spec);

}  // namespace kml::cli
