#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/text.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/runner/sweep_runner.h"
#include "sweep/spec/trial_template.h"

namespace kml::cli {

namespace {

struct BestOptions {
  std::vector<std::string> words;  ///< the name of the sweep, and optionally a trial's number
  std::string output;
};

/// A job that trains with the trial's parameters from start to end, and with its own checkpoint folder.
Json whole_training(const sweep::SweepState& state, const sweep::Trial& best, const std::string& whose) {
  const sweep::SweepSpec& spec = state.spec();
  sweep::TrialJob job;
  job.name = spec.name + "-" + whose;
  job.trial = best.number;
  job.values = best.values;
  if (spec.stopping.max > 0) job.until = spec.stopping.max;
  job.checkpoint = checkpoint_folder(state, whose);
  Json manifest = sweep::TrialTemplate(spec).manifest(job);
  manifest["metadata"]["name"] = job.name;
  sweep::add_trial_environment(manifest, spec.name, job);
  return manifest;
}

/// The Secrets of the sweep that the job needs, as a sentence; empty if it needs none.
std::string needs_in_words(const std::string& sweep, const Json& job) {
  const std::vector<std::string> secrets = sweep::sweep_secrets_of(sweep, job);
  if (secrets.empty()) return {};
  return "needs Secret " + join(secrets, ", ") + " of the sweep: `kml sweep delete " + sweep +
         "` deletes the sweep's Secrets, too";
}

const sweep::Trial& trial_named(const sweep::SweepState& state, const std::string& number) {
  const auto found = std::find_if(state.trials().begin(), state.trials().end(),
                                  [&](const auto& trial) { return std::to_string(trial.number) == number; });
  if (found == state.trials().end())
    throw usage_error("sweep " + state.spec().name + " has no trial " + number, "",
                      "`kml sweep status " + state.spec().name + "` lists the trials");
  if (!found->value)
    throw Error(ErrorCode::failure, "trial " + number + " has no result", "it is " + ui::state_text(*found));
  return *found;
}

std::string ended_without_value(size_t trials) {
  return trials == 0   ? "no trial has finished"
         : trials == 1 ? "its only finished trial has no value"
                       : std::to_string(trials) + " trials have finished, none with a value";
}

int run_best(Context& context, const BestOptions& options) {
  const std::string& name = options.words[0];
  const sweep::SweepState state = state_of(context, name);
  const bool is_named = options.words.size() > 1;
  if (!is_named && !has_result(state))
    throw Error(ErrorCode::failure,
                "sweep " + name + (state.end().reason.empty() ? " has no result yet" : " has no result"),
                ended_without_value(state.lists().ended.size()));
  if (!is_named && state.spec().has_front()) {
    if (options.output.empty())
      ui::print_front(context.streams(), state);
    else
      ui::print_value(context.streams(), ui::front_to_json(state), options.output);
    context.note("kml sweep best " + name + " TRIAL -o yaml prints the job of a trial");
    return 0;
  }
  const sweep::Trial& best = is_named ? trial_named(state, options.words[1]) : state.trials()[*state.best()];
  const std::string checkpoint = checkpoint_folder(state, std::to_string(best.number));
  if (!options.output.empty()) {
    if (best.lineage && best.lineage->parent)
      context.note("trial " + std::to_string(best.number) + " continued the training of trial " +
                   std::to_string(*best.lineage->parent) +
                   ", but this job trains from scratch; the trained model is " + checkpoint);
    const Json job = whole_training(state, best, is_named ? "trial-" + options.words[1] : "best");
    const std::string needs = needs_in_words(name, job);
    if (!needs.empty()) context.note(needs);
    if (!needs.empty() && options.output == "yaml") context.streams().out << "# " << needs << "\n";
    ui::print_value(context.streams(), job, options.output);
    return 0;
  }
  context.streams().out << ui::values_in_words(state.spec(), best) << " (trial " << best.number << ", job "
                        << best.job << (checkpoint.empty() ? "" : ", checkpoint " + checkpoint) << ")\n"
                        << ui::in_words(state.spec(), best.values) << "\n";
  return 0;
}

}  // namespace

Command sweep_best_command() {
  auto options = std::make_shared<BestOptions>();
  Command command{"best", "Print the best trial's parameters, or its job, ready to submit"};
  command.description =
      R"(-o prints a job that trains from scratch. The job's {until} is the maximum of --resource, and the job's
{checkpoint} is a new folder. The job can use the sweep's code and secrets until the sweep is deleted. After
population-based training, use the checkpoint that this command prints without -o, because each trial did only a part
of the training. With several objectives, kml prints the Pareto front. The front consists of the trials that no other
trial dominates; a trial dominates another if it is at least as good in every objective, and better in one. -o prints
the front as a list; pass a trial number to get that trial's job.)";
  command.takes("SWEEP [TRIAL]", options->words,
                "the sweep's name; with a trial's number, that trial instead of the best", 1, 2);
  command.examples = R"(kml sweep best lr1
# Train with the best parameters
kml sweep best lr1 -o yaml | kml submit -f -
# Train with the parameters of trial 3
kml sweep best lr1 3 -o yaml | kml submit -f -)";
  add_output_format(command, {"json", "yaml"}, options->output, "print the job in this format");
  command.run = [options](Context& context) { return run_best(context, *options); };
  return command;
}

}  // namespace kml::cli
