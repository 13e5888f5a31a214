#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "job/commands/lost_pods_note.h"
#include "kml/base/agent.h"
#include "kml/kube/objects/labels.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_removal.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"
#include "tracking/commands/engine_records.h"

namespace kml::cli {

namespace {

struct StopOptions {
  std::vector<std::string> names;
  bool drain = false;
};

/// Nothing stops trials on nodes that do not answer. The sweep of this machine may be for another target,
/// about which this command knows nothing.
void note_lost_trials(Context& context, const sweep::SweepState& state, bool is_in_cluster) {
  const Place& place = context.place();
  const bool is_here = string_at(state.target(), {"context"}) == place.context &&
                       string_at(state.target(), {"namespace"}) == place.namespace_name;
  if (!is_here && !is_in_cluster) return;
  note_lost_pods_of(context, "sweep " + state.spec().name, std::string(api::kSubmitId) + "=" + state.id());
}

/// A running engine notices the stop file within a second. If no engine is running, this process ends the
/// sweep.
void stop_here(Context& context, const sweep::SweepState& state, sweep::StopWish wish) {
  const std::string& name = state.spec().name;
  const std::filesystem::path folder = sweep::sweep_folder(name);
  // StopWish::now is an empty file, because that can be written even if the disk is full.
  write_file_atomically(stop_file(name), wish == sweep::StopWish::now ? "" : sweep::text_of(wish));
  note_lost_trials(context, state, false);
  if (sweep::writer_of(folder)) return;
  context.note("no engine was running; the sweep's engine runs here until the running trials have ended");
  sweep::Journal journal(folder, owner());
  go_on_here(context, name, journal);
}

int run_stop(Context& context, const StopOptions& options) {
  const std::string& name = options.names[0];
  const sweep::SweepState state = state_of(context, name);
  if (runs_for_agent()) check_target(context, state);
  if (!state.end().reason.empty()) {
    context.note("sweep " + name + " already ended: " + state.end().reason);
    return 0;
  }
  if (options.drain && state.spec().is_indexed)
    context.note("the sweep's trials are one Job, which continues until all trials have finished");
  const sweep::StopWish wish = options.drain ? sweep::StopWish::drain : sweep::StopWish::now;
  context.streams().out << "stopping sweep " << name
                        << (options.drain ? " once its running trials have finished" : "") << std::endl;
  if (const auto there = find_only_in_cluster(context, name)) {
    stop_in_cluster(context, *there, wish);
    note_lost_trials(context, state, true);
  } else {
    stop_here(context, state, wish);
  }
  context.note("`kml sweep resume " + name + "` continues the sweep, including the trials that were stopped");
  return 0;
}

}  // namespace

Command sweep_stop_command() {
  auto options = std::make_shared<StopOptions>();
  Command command{"stop", "Stop a sweep and its trials"};
  command.description =
      "kml stops the running trials, with their grace period. The stopped trials start again when the sweep "
      "is resumed, "
      "from their checkpoints if they have any. With --drain, the running trials finish first. The trials of "
      "an indexed sweep are one Job, so with --drain all of them finish.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.examples = R"(kml sweep stop lr1
# Let the running trials finish
kml sweep stop lr1 --drain)";
  command.flag("--drain", options->drain, "start no more trials, and let the running ones finish");
  command.run = [options](Context& context) { return run_stop(context, *options); };
  return command;
}

namespace {

struct SweepDeleteOptions {
  std::vector<std::string> names;
};

int run_sweep_delete(Context& context, const SweepDeleteOptions& options) {
  const std::string& name = options.names[0];
  const auto there = find_only_in_cluster(context, name);
  if (there) {
    require_idle_engine(context, there->engine());
    record_engine(context, there->engine());
    remove_sweep_objects(context, there->marks, there->document());
    context.note(journal_in_words(*there));
  } else {
    if (!has_begun(name)) state_of(context, name);  // throws Error if the sweep does not exist
    remove_sweep(context, name);
  }
  context.streams().out << "sweep " << name << " deleted\n";
  return 0;
}

}  // namespace

Command sweep_delete_command() {
  auto options = std::make_shared<SweepDeleteOptions>();
  Command command{"delete", "Delete a sweep: its jobs with their logs, its secrets and its journal"};
  command.description =
      "The journal of a sweep with --in-cluster stays on its volume. kml prints the command that removes it.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.examples = "kml sweep delete lr1";
  command.run = [options](Context& context) { return run_sweep_delete(context, *options); };
  return command;
}

}  // namespace kml::cli
