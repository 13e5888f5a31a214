#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/context.h"
#include "kml/jobs/sweep/sweep_runner.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/trial/trial_template.h"

namespace kml::cli {

/// Names this process as the engine of a sweep, for others to read.
std::string owner();

/// A new sweep is written into its journal, and a changed budget. Returns the sweep's id: `new_id` where it
/// is new. Throws usage Error if the sweep was another one, or runs elsewhere.
std::string begin_or_change(sweep::Journal& journal, Context& context, const sweep::SweepSpec& spec,
                            const std::string& new_id);

/// `trial_template` must outlive the result.
jobs::SweepRunnerOptions runner_options(Context& context, const sweep::SweepSpec& spec, const std::string& id,
                                        const sweep::TrialTemplate& trial_template);

struct SessionHooks {
  std::function<sweep::StopWish()> stop_wish;
  std::function<void(const sweep::Engine& engine)> on_step = [](const sweep::Engine&) {};
};

/// Runs the sweep to its end, and shows how it goes; the exit code.
int go_on(Context& context, const std::string& name, sweep::Journal& journal, const SessionHooks& hooks);

/// The file beside a local sweep's journal that asks its engine to stop.
std::filesystem::path stop_file(const std::string& name);
/// Runs the sweep in this process until it ends or that file appears.
int go_on_here(
    Context& context, const std::string& name, sweep::Journal& journal,
    std::function<void(const sweep::Engine& engine)> on_step = [](const sweep::Engine&) {});

/// Says how a sweep ended; the exit code.
int report_end(Context& context, const sweep::SweepState& state);

}  // namespace kml::cli
