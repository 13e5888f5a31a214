#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/record.h"

namespace kml::cli {

/// Whether this machine has a sweep with that name: a journal with a first record.
bool has_begun(const std::string& name);

/// The names of this machine's sweeps, sorted.
std::vector<std::string> sweep_names();

/// Reads the records of a sweep on this machine, or otherwise of the cluster. Throws usage Error if neither
/// has it.
void read_sweep(Context& context, const std::string& name,
                const std::function<void(const sweep::Record& record)>& take);

/// The state of the sweep according to its journal.
sweep::SweepState state_of(Context& context, const std::string& name);

/// The document of an existing sweep, on this machine or in the cluster.
std::optional<Json> begun_document(Context& context, const std::string& name);

/// The first record of a sweep on this machine, with its id and target, even if later records are damaged.
/// Empty if it cannot be read.
std::optional<sweep::record::Sweep> first_record(const std::string& name);
/// Whether the sweep's trials run on the embedded server.
bool is_for_this_machine(const std::string& name);

/// Whether a sweep on this machine has not ended and no engine is running it.
bool is_left(const std::string& name, const sweep::SweepState& state);
/// "no engine is running: kml sweep resume lr1".
std::string left_in_words(const std::string& name);
/// The time for which the state is shown: now for a running sweep, the time of the last record for an ended
/// one. If is_left(), the last time at which an engine was alive.
Time told_until(const std::string& name, const sweep::SweepState& state);

/// The target of a sweep in the journal's format.
Json target_of(Context& context);

/// Throws usage Error if a sweep cannot continue with the changed document.
void require_same_space(const std::string& name, const Json& before, const Json& after);

/// Throws usage Error if the sweep belongs to another target.
void check_target(Context& context, const sweep::SweepState& state);
void check_target(Context& context, const std::string& name, const Json& target);

}  // namespace kml::cli
