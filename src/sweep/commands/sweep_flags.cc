#include "sweep/commands/sweep_flags.h"

#include <string>
#include <vector>

#include "job/commands/submit_request.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::cli {

void add_budget_flags(Command& command, SweepRequest& request) {
  command.options_under("Budget");
  command.option("--goal", "VALUE", request.goal, "finish the sweep when the metric reaches this value")
      .after("--gpu-hours");
  command.option("--trials", "N", request.trials, "total number of trials; by default, 100 for a new sweep");
  command.option("--parallel", "N", request.parallel,
                 "number of trials at once; by default, 4 for a new sweep");
  command.option("--time", "DURATION", request.time, "start no more trials after this time");
  command.option("--gpu-hours", "N", request.gpu_hours, "start no more trials after this many GPU hours");
}

void add_search_flags(Command& command, SweepRequest& request) {
  std::vector<std::string> algorithms = sweep::sampler_names();
  algorithms.insert(algorithms.begin(), "auto");
  command.options_under("Search");
  command.option("--param", "NAME=VALUES", request.parameters,
                 "a parameter to try: lr=log:1e-4..1e-1, layers=1..8, batch=32,64,128, opt=adam,sgd");
  command.option("--maximize", "METRIC", request.maximize, "a metric to maximize, by its name in the log");
  command.option("--minimize", "METRIC", request.minimize,
                 "a metric to minimize; several objectives give a Pareto front");
  command.option("--constraint", "TEXT", request.constraints,
                 "a condition on the parameters: 'batch * accum <= 4096'");
  command.choice("--algorithm", algorithms, request.algorithm,
                 "how to choose the values to try [default: auto]");
  command.option("--seed", "N", request.seed, "seed of the random choices [default: 0]");
  command.flag("--deterministic", request.deterministic,
               "use results in the order of the trials, so that a repeated sweep tries the same values");
  add_budget_flags(command, request);
  command.options_under("Early stopping");
  command.choice("--early-stopping", sweep::stop_rule_names(), request.early_stopping,
                 "stop bad trials early");
  command.option("--resource", "METRIC:[MIN..]MAX", request.fidelity,
                 "the metric that measures a trial's progress, with its first and last value: epoch:1..27");
  command.choice("--stop-by", {"stop", "promote"}, request.mode,
                 "stop bad trials, or run all trials to a rung and continue only the best [default: stop]");
  command.option("--checkpoint-dir", "PATH", request.checkpoints,
                 "folder for checkpoints; {checkpoint} in the command is the trial's folder in it");
  command.options_under("Trials");
  command.choice("--fan-out", {"jobs", "indexed"}, request.fan_out,
                 "one Job for each trial, or one Indexed Job for all of them");
  command.option("--metrics-file", "PATH", request.metrics_file,
                 "read metrics from this file of each trial instead of its log: metrics-{trial}");
}

void add_trial_flags(Command& command, SweepRequest& request) {
  command.takes_name(request.names, "name of the sweep; by default, the name in the file", 0)
      .after("--template")
      .details("The name of the sweep. By default, the name in the file.");
  command
      .option("-f,--file", "FILE", request.file,
              "a kml sweep, a Katib Experiment or a Weights & Biases sweep; - is standard input")
      .after("--template");
  add_spec_flags(command, request.submit.settings, {"name", "array"});
  command.find("-p")->details("Set a parameter of the template. May be repeated.");
  command.argv = &request.submit.command;
  command.unknown_flags = &request.submit.unknown;
}

}  // namespace kml::cli
