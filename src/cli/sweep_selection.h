#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/journal/sweep_state.h"

namespace kml::cli {

/// Whether there is a sweep of that name: its journal has a first record.
bool has_begun(const std::string& name);

/// The sweeps of this machine, sorted.
std::vector<std::string> sweep_names();

/// The records of the sweep of that name, whoever runs it: of this machine, else of the cluster's. Throws
/// usage Error if there is none.
void read_sweep(Context& context, const std::string& name,
                const std::function<void(const sweep::Record& record)>& take);

/// The sweep that these records describe.
sweep::SweepState state_of(Context& context, const std::string& name);

/// The document of the sweep of that name, where one has begun, here or in the cluster.
std::optional<Json> begun_document(Context& context, const std::string& name);

/// The first record of a sweep of this machine, which has its id and target, whatever follows it. Empty if
/// it cannot be read.
std::optional<sweep::record::Sweep> first_record(const std::string& name);
/// Whether its trials run on the embedded server.
bool is_for_this_machine(const std::string& name);

/// Whether a sweep of this machine has not ended, and no engine is running it.
bool is_left(const std::string& name, const sweep::SweepState& state);
/// "no engine is running: kml sweep resume lr1".
std::string left_in_words(const std::string& name);
/// The time up to which it is shown: now; where it has ended, its last record's; where it is_left(), the last
/// at which an engine was alive.
Time told_until(const std::string& name, const sweep::SweepState& state);

/// The target of a sweep, in the form that its journal keeps.
Json target_of(Context& context);

/// Throws usage Error if a sweep cannot continue with another document.
void require_same_space(const std::string& name, const Json& before, const Json& after);

/// Throws usage Error if the sweep runs in another target than this one.
void check_target(Context& context, const sweep::SweepState& state);
void check_target(Context& context, const std::string& name, const Json& target);

}  // namespace kml::cli
