#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_in_cluster.h"
#include "cli/sweep_selection.h"
#include "kml/api/labels.h"
#include "kml/jobs/control.h"
#include "kml/jobs/find.h"
#include "kml/jobs/sweep_objects.h"
#include "kml/sweep/journal.h"

namespace kml::cli {

namespace {

struct Options {
  std::vector<std::string> names;
};

void delete_objects(Context& context, const jobs::SweepMarks& sweep) {
  const std::string own = std::string(api::kSubmitId) + "=" + sweep.id;
  for (const Json& job : jobs::list_jobs(context.client(), sweep.namespace_name, own))
    jobs::remove(context.client(), job);
  jobs::remove_sweep_object(context.client(), sweep);
}

int run(Context& context, const Options& options) {
  const std::string& name = options.names[0];
  const auto there = find_only_in_cluster(context, name);
  if (there) {
    require_idle_engine(context, *there);
    delete_objects(context, there->marks);
    context.note(journal_in_words(*there));
  } else {
    const sweep::SweepState state = state_of(context, name);
    check_target(context, state);
    const std::filesystem::path folder = sweep::sweeps_folder() / name;
    const sweep::Journal journal(folder, "kml sweep delete");  // refused while somebody runs it
    delete_objects(context, {name, state.id(), context.target().namespace_name});
    std::filesystem::remove_all(folder);
  }
  context.streams().out << "sweep " << name << " deleted\n";
  return 0;
}

}  // namespace

Command sweep_delete_command() {
  auto options = std::make_shared<Options>();
  Command command{"delete",
                  "Remove a sweep: its trials' jobs with their logs, what it brought along, its journal"};
  command.takes("NAME", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run(context, *options); };
  return command;
}

}  // namespace kml::cli
