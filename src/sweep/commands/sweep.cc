#include "cli/commands.h"
#include "cli/context.h"
#include "sweep/commands/sweep_reference.h"
#include "sweep/spec/example.h"

namespace kml::cli {

namespace {

Command sweep_example_command() {
  Command command{"example", "Print a sweep file with every field of spec, its meaning and its default"};
  command.examples = R"(kml sweep example
# See what it would run
kml sweep example > all.yaml && kml sweep run -f all.yaml --dry-run)";
  command.has_target = false;
  command.run = [](Context& context) {
    context.streams().out << sweep::example();
    return 0;
  };
  return command;
}

}  // namespace

Command sweep_command() {
  Command group{"sweep", "Find better parameters by running many trials of one command, each as a job"};
  group.description =
      "A sweep runs a command many times with different parameters, and keeps its state in a journal, which "
      "contains the trials that the sweep started, and their results. A sweep needs no server and no "
      "controller. You can kill a sweep at any time; `kml sweep resume` continues where it stopped.";
  group.definitions = definitions_of_sweeps;
  group.examples = R"(# Run 200 trials, 8 at a time
kml sweep run lr1 --param lr=log:1e-4..1e-1 --param batch=32,64,128 --maximize accuracy --trials 200 --parallel 8 -- python train.py {args}
# Run a sweep in the background
kml sweep run lr2 --detach --param lr=log:1e-4..1e-1 --minimize loss -- python train.py {args}
kml sweep attach lr2
# Submit the best parameters as a job
kml sweep best lr1 -o yaml | kml submit -f -)";
  for (Command (*make)() :
       {sweep_run_command, sweep_example_command, sweep_resume_command, sweep_attach_command,
        sweep_engine_command, sweep_background_command, sweep_list_command, sweep_status_command,
        sweep_best_command, sweep_report_command, sweep_logs_command, sweep_stop_command,
        sweep_delete_command, sweep_export_command, sweep_replay_command})
    group.subcommands.push_back(make());
  return group;
}

}  // namespace kml::cli
