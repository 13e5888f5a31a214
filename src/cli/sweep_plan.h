#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/submit/belongings.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

/// Prints what the space is, and the first trials.
int show_plan(Context& context, const sweep::SweepSpec& spec);

/// Before a sweep starts: throws Error if all of its trials would fail, or wait forever.
void refuse_impossible_trials(Context& context, const sweep::SweepSpec& spec,
                              const std::vector<jobs::Belonging>& secrets);

/// Chooses --fan-out if it was not given: as in `before`, the sweep that is continued, or what suits a new
/// one.
void choose_fan_out(Context& context, Json& document, const std::optional<Json>& before,
                    const std::string& source);

/// On this machine all trials see the same files. Throws usage Error if several that run at once would
/// write their metrics into one.
void refuse_shared_file(Context& context, const sweep::SweepSpec& spec);

}  // namespace kml::cli
