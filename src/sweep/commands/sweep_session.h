#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/context.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/trial/runner.h"
#include "sweep/runner/sweep_runner.h"
#include "sweep/spec/trial_template.h"

namespace kml::cli {

/// How messages about a sweep's engine refer to this process.
std::string owner();

/// Writes a new sweep, or the changes to an existing sweep, into the journal. Returns the sweep's id, which
/// is `new_id` for a new sweep. `code` returns what record::Sweep says about the code; it is only called for
/// a new sweep. Throws usage Error if the journal is about a different sweep or target.
std::string begin_or_change(sweep::Journal& journal, Context& context, const sweep::SweepSpec& spec,
                            const std::string& new_id, const std::function<Json()>& code);

/// `trial_template` must outlive the result.
sweep::SweepRunnerOptions runner_options(Context& context, const sweep::SweepSpec& spec,
                                         const std::string& id, const sweep::TrialTemplate& trial_template);

struct SessionHooks {
  std::function<sweep::StopWish()> stop_wish;
  std::function<void(const sweep::Engine& engine)> on_step = [](const sweep::Engine&) {};
};

/// Runs the sweep to its end, and shows its progress. Returns the exit code.
int go_on(Context& context, const std::string& name, sweep::Journal& journal, const SessionHooks& hooks);

/// The stop file in the folder of a local sweep. If it exists, the engine stops.
std::filesystem::path stop_file(const std::string& name);
/// Runs the sweep in this process until it ends or the stop file appears.
int go_on_here(
    Context& context, const std::string& name, sweep::Journal& journal,
    std::function<void(const sweep::Engine& engine)> on_step = [](const sweep::Engine&) {});

/// Prints how a sweep ended. Returns the exit code.
int report_end(Context& context, const sweep::SweepState& state);

}  // namespace kml::cli
