#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/record.h"

namespace kml::cli {

/// Whether this machine has a sweep with that name, which means that its journal has a first record.
bool has_begun(const std::string& name);

/// The names of the sweeps on this machine, sorted.
std::vector<std::string> sweep_names();

/// The sweeps on this machine that the command may show; see Context::shows().
std::vector<std::string> shown_sweeps(Context& context);

/// Reads the records of a sweep on this machine. If there is none, reads a sweep in the cluster. Throws usage
/// Error if neither has it.
void read_sweep(Context& context, const std::string& name,
                const std::function<void(const sweep::Record& record)>& take);

/// The state of the sweep according to its journal.
sweep::SweepState state_of(Context& context, const std::string& name);

/// The document of an existing sweep, on this machine or in the cluster.
std::optional<Json> begun_document(Context& context, const std::string& name);

/// The first record of a sweep on this machine, which has the sweep's id and target. Can be read even if
/// later records are damaged. Empty if it cannot be read.
std::optional<sweep::record::Sweep> first_record(const std::string& name);
/// Whether the sweep's trials run on the embedded server.
bool is_for_this_machine(const std::string& name);

/// Whether a sweep on this machine has not ended, but has no engine.
bool is_left(const std::string& name, const sweep::SweepState& state);
/// The text for a sweep for which is_left() is true: "no engine is running: kml sweep resume lr1".
std::string left_in_words(const std::string& name);
/// The time for which the state is shown: for a running sweep, now; for an ended one, the time of its last
/// record; if is_left(), when an engine was last alive.
Time told_until(const std::string& name, const sweep::SweepState& state);

/// The target in the form in which the journal stores it.
Json target_of(Context& context);

/// Throws usage Error if the sweep cannot continue with the changed document.
void require_same_space(const std::string& name, const Json& before, const Json& after);

/// Throws usage Error if the sweep is on a different target.
void check_target(Context& context, const sweep::SweepState& state);
void check_target(Context& context, const std::string& name, const Json& target);

}  // namespace kml::cli
