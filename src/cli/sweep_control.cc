#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/sweep_in_cluster.h"
#include "cli/sweep_removal.h"
#include "cli/sweep_selection.h"
#include "cli/sweep_session.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"

namespace kml::cli {

namespace {

struct StopOptions {
  std::vector<std::string> names;
  bool drain = false;
};

/// Whoever runs it sees the file within a second; where nobody does, this process takes the sweep on.
void stop_here(Context& context, const std::string& name, sweep::StopWish wish) {
  const std::filesystem::path folder = sweep::sweep_folder(name);
  write_file_atomically(stop_file(name), sweep::text_of(wish));
  if (sweep::writer_of(folder)) return;
  context.note("nobody ran it: this command does, until its trials have ended");
  sweep::Journal journal(folder, owner());
  go_on_here(context, name, journal);
}

int run_stop(Context& context, const StopOptions& options) {
  const std::string& name = options.names[0];
  const sweep::SweepState state = state_of(context, name);
  if (!state.end().empty()) {
    context.note("sweep " + name + " has ended already: " + state.end());
    return 0;
  }
  if (options.drain && state.spec().is_indexed)
    context.note("its trials are one Job, which goes on until all have ended");
  const sweep::StopWish wish = options.drain ? sweep::StopWish::drain : sweep::StopWish::now;
  context.streams().out << "sweep " << name
                        << (options.drain ? " is told to begin no more trials" : " is told to end its trials")
                        << std::endl;
  if (const auto there = find_only_in_cluster(context, name))
    stop_in_cluster(context, *there, wish);
  else
    stop_here(context, name, wish);
  context.note("`kml sweep resume " + name + "` goes on with it, and with trials that were ended");
  return 0;
}

}  // namespace

Command sweep_stop_command() {
  auto options = std::make_shared<StopOptions>();
  Command command{"stop", "End a sweep and its trials"};
  command.description =
      "Trials that run are ended, with their grace, and withdrawn: they begin again when the sweep is "
      "resumed,\n"
      "from their checkpoints where they have some. The trials of an indexed sweep are one Job, which begins "
      "them all: "
      "with\n"
      "--drain it goes on to its end.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.flag("--drain", options->drain, "let the trials that run go on to their ends, and begin no more");
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
    require_idle_engine(context, *there);
    remove_sweep_objects(context, there->marks);
    context.note(journal_in_words(*there));
  } else {
    if (!has_begun(name)) state_of(context, name);  // says that there is none
    remove_sweep(context, name);
  }
  context.streams().out << "sweep " << name << " deleted\n";
  return 0;
}

}  // namespace

Command sweep_delete_command() {
  auto options = std::make_shared<SweepDeleteOptions>();
  Command command{"delete",
                  "Remove a sweep: its trials' jobs with their logs, what it brought along, its journal"};
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_sweep_delete(context, *options); };
  return command;
}

}  // namespace kml::cli
