#include "cli/commands.h"
#include "sweep/commands/sweep_reference.h"

namespace kml::cli {

Command sweep_command() {
  Command group{"sweep", "Find better parameters: run many trials of one command, each as a job"};
  group.description =
      "A sweep keeps its state in a journal: which trials it started, and their results. It needs no server\n"
      "and no controller. You can kill it at any time; `kml sweep resume` continues where it stopped.";
  group.definitions = definitions_of_sweeps;
  group.examples = R"(# Run 200 trials, 8 at a time
kml sweep run lr1 --param lr=log:1e-4..1e-1 --param batch=32,64,128 --maximize accuracy --trials 200 --parallel 8 -- python train.py {args}
# The same in the background, and a look at it
kml sweep run lr2 --detach --param lr=log:1e-4..1e-1 --minimize loss -- python train.py {args}
kml sweep attach lr1
# Submit the best parameters as a job
kml sweep best lr1 -o yaml | kml submit -f -)";
  for (Command (*make)() :
       {sweep_run_command, sweep_resume_command, sweep_attach_command, sweep_engine_command,
        sweep_background_command, sweep_list_command, sweep_status_command, sweep_best_command,
        sweep_report_command, sweep_logs_command, sweep_stop_command, sweep_delete_command,
        sweep_export_command, sweep_replay_command})
    group.subcommands.push_back(make());
  return group;
}

}  // namespace kml::cli
