#include <unistd.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_request.h"
#include "cli/sweep_selection.h"
#include "cli/sweep_view.h"
#include "cli/test_only.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/jobs/sweep_runner.h"
#include "kml/sweep/engine.h"
#include "kml/sweep/indexed_template.h"
#include "kml/sweep/sampler.h"
#include "kml/sweep/trial_template.h"
#include "kml/ui/sweep_history.h"
#include "kml/ui/sweep_table.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct RunOptions {
  SweepRequest request;
  bool dry_run = false;
};

std::string owner() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return "process " + std::to_string(::getpid()) + " of " + user_name() + " on " + host + ", since " +
         rfc3339(system_clock().now());
}

Json target_of(Context& context) {
  return {{"context", context.target().context}, {"namespace", context.target().namespace_name}};
}

/// Opens the sweep's journal; a new sweep is written into it, and a changed budget.
void begin_or_change(sweep::Journal& journal, Context& context, const sweep::SweepSpec& spec) {
  sweep::SweepState state;
  journal.read([&](const Json& record) { state.apply(record); });
  const Time now = system_clock().now();
  if (state.is_empty()) {
    journal.add(sweep::sweep_record(random_hex(8), spec.document, target_of(context), now));
    journal.commit();
    return;
  }
  const std::vector<std::string> changed = sweep::changed_space(state.spec().document, spec.document);
  if (!changed.empty())
    throw usage_error(
        "sweep " + spec.name + " is there already, and was another one",
        "these differ: " + join(changed, ", "),
        "give this one another name; `kml sweep resume " + spec.name + "` goes on with the first");
  Json document = state.spec().document;
  if (document == spec.document) return;
  const Json trial = document["spec"]["trialTemplate"];
  document = spec.document;
  document["spec"]["trialTemplate"] = trial;  // all trials are made of the same one
  journal.add(sweep::change_record(document, now));
  journal.commit();
}

void check_target(Context& context, const sweep::SweepState& state) {
  if (target_of(context) == state.target()) return;
  throw usage_error("sweep " + state.spec().name + " runs in " + string_at(state.target(), {"context"}) +
                        "/" + string_at(state.target(), {"namespace"}),
                    "this would be " + context.target().context + "/" + context.target().namespace_name,
                    "pass --context and -n as they were");
}

int report(Context& context, const sweep::SweepState& state) {
  context.note("sweep " + state.spec().name + " has ended: " + state.end());
  context.note(ui::sweep_summary(state, state.last_time()));
  if (!state.best()) return static_cast<int>(ErrorCode::job_failed);
  context.note("best: " + ui::in_words(state.spec(), state.trials()[*state.best()].values) +
               "   (kml sweep best " + state.spec().name + ")");
  return 0;
}

/// `trial_template` must outlive the result.
jobs::SweepRunnerOptions runner_options(Context& context, const sweep::SweepSpec& spec, const std::string& id,
                                        const sweep::TrialTemplate& trial_template) {
  return {spec.name,
          id,
          context.target().namespace_name,
          spec.stopping.resource,
          spec.collector.path,
          spec.collector.filters,
          !spec.collector.reads_message,
          [&](const sweep::TrialJob& job) { return trial_template.manifest(job); }};
}

std::unique_ptr<sweep::Runner> runner_for(Context& context, const sweep::SweepState& state,
                                          const sweep::TrialTemplate& trial_template,
                                          const jobs::Interrupt& interrupt) {
  jobs::SweepRunnerOptions options = runner_options(context, state.spec(), state.id(), trial_template);
  if (!state.spec().is_indexed)
    return jobs::make_sweep_runner(context.client(), std::move(options), interrupt);
  return jobs::make_indexed_runner(context.client(), std::move(options), state.spec(),
                                   context.target().endpoint.url, interrupt);
}

int go_on(Context& context, const std::string& name, sweep::Journal& journal) {
  sweep::SweepState state;
  journal.read([&](const Json& record) { state.apply(record); });
  check_target(context, state);
  const sweep::TrialTemplate trial_template(state.spec());
  context.streams().err << "→ " << context.target().context << "/" << context.target().namespace_name
                        << " as " << context.target().user << std::endl;
  const jobs::Interrupt interrupt;
  const auto runner = runner_for(context, state, trial_template, interrupt);
  SweepView view(context);
  const UnsteppedClock clock(system_clock());
  const fs::path stop_file = sweep::sweeps_folder() / name / "stop";
  sweep::Engine engine(
      journal, *runner, clock,
      {[&](const sweep::Engine& now) { view.show(now); }, [&] { return fs::exists(stop_file); }});
  try {
    engine.run(owner());
  } catch (const Error& error) {
    view.end();
    if (error.code != ErrorCode::interrupted) throw;
    context.note("the trials that run go on; `kml sweep resume " + name +
                 "` goes on with the sweep, `kml sweep "
                 "stop " +
                 name + "` ends it");
    return static_cast<int>(error.code);
  }
  view.end();
  fs::remove(stop_file);
  return report(context, engine.state());
}

/// The first trials, as they would be proposed with no result known.
std::vector<Json> first_trials(const sweep::SweepSpec& spec, const std::string& algorithm,
                               std::uint64_t count) {
  const sweep::Space space(spec.parameters, spec.constraints);
  const auto sampler = sweep::make_sampler(algorithm, space, {.seed = spec.seed, .startup = spec.startup});
  std::vector<Json> trials;
  std::vector<sweep::Observation> running;
  while (trials.size() < std::min<std::uint64_t>(count, spec.budget.trials)) {
    const std::uint64_t trial = trials.size();
    const auto point = sampler->propose(trial, {{}, running});
    if (!point) break;
    trials.push_back(space.assignment(*point));
    running.push_back({.trial = trial, .point = *point});
  }
  return trials;
}

std::string algorithm_of(const sweep::SweepSpec& spec) {
  if (spec.algorithm != "auto") return spec.algorithm;
  return sweep::choose_sampler(sweep::Space(spec.parameters, spec.constraints), spec.budget.trials);
}

/// What the space is, and the first trials.
int show_plan(Context& context, const sweep::SweepSpec& spec) {
  const std::string algorithm = algorithm_of(spec);
  std::ostream& out = context.streams().out;
  out << spec.name << ": " << spec.budget.trials << " trials, " << spec.parallel << " at once, by "
      << algorithm;
  if (const auto size = sweep::Space(spec.parameters, spec.constraints).size())
    out << ", of " << *size << " points";
  out << (spec.is_indexed ? ", as one Indexed Job\n" : "\n");
  for (const std::string& line : ui::rung_plan(spec)) out << line << "\n";
  const std::vector<Json> trials = first_trials(spec, algorithm, 5);
  for (size_t i = 0; i < trials.size(); ++i)
    out << "trial " << i << "  " << ui::in_words(spec, trials[i]) << "\n";
  return 0;
}

/// Before a sweep begins: its trials would all fail alike, or wait forever.
void refuse_impossible_trials(Context& context, const sweep::SweepSpec& spec) {
  const std::vector<Json> first = first_trials(spec, algorithm_of(spec), 1);
  if (first.empty()) return;
  const sweep::TrialTemplate trial_template(spec);
  const jobs::SweepRunnerOptions options = runner_options(context, spec, "", trial_template);
  const sweep::TrialJob job = {.name = spec.name + "-t0", .values = first[0]};
  if (!spec.is_indexed) return refuse_impossible(context, {jobs::trial_manifest(options, job)});
  const jobs::IndexedObjects indexed = jobs::indexed_objects(options, spec, spec.name, {job});
  refuse_impossible(context, {indexed.job}, indexed.tables);
}

/// Where nobody said it: as it was, or, for a new sweep, what suits it.
void choose_fan_out(Context& context, Json& document, const std::string& source) {
  constexpr std::uint64_t kMany = 1000;
  if (string_at(document, {"kind"}) != "Sweep" || document["spec"].contains("fanOut")) return;
  const sweep::SweepSpec spec = sweep::parse_sweep(document, source);
  if (has_begun(spec.name)) {
    if (state_of(spec.name).spec().is_indexed) document["spec"]["fanOut"] = "indexed";
    return;
  }
  // On this machine nothing is gained, and the table's volumes need namespaces, which not every machine has.
  if (spec.budget.trials < kMany || context.place().is_local || !sweep::obstacles_to_indexed(spec).empty())
    return;
  document["spec"]["fanOut"] = "indexed";
  context.note("all " + std::to_string(spec.budget.trials) +
               " trials go out as one Indexed Job (--fan-out jobs makes one for each)");
}

int run_run(Context& context, const RunOptions& options) {
  const std::string source = options.request.file.empty() ? "the command line" : options.request.file;
  Json document = sweep_document(context, options.request);
  choose_fan_out(context, document, source);
  const sweep::SweepSpec spec = sweep::parse_sweep(document, source);
  const sweep::TrialTemplate checked(spec);
  if (options.dry_run) return show_plan(context, spec);
  if (!has_begun(spec.name)) refuse_impossible_trials(context, spec);
  sweep::Journal journal(sweep::sweeps_folder() / spec.name, owner());
  begin_or_change(journal, context, spec);
  return go_on(context, spec.name, journal);
}

struct ResumeOptions {
  std::vector<std::string> names;
};

int run_resume(Context& context, const ResumeOptions& options) {
  read_sweep(options.names[0], [](const Json&) {});  // says that there is none
  sweep::Journal journal(sweep::sweeps_folder() / options.names[0], owner());
  return go_on(context, options.names[0], journal);
}

}  // namespace

Command sweep_run_command() {
  auto options = std::make_shared<RunOptions>();
  Command command{"run", "Run a sweep, or go on with one of that name"};
  command.description =
      "In the command, {args} stands for --lr=0.01 --batch=32, {lr} for one value, {trial} for the trial's\n"
      "number; other braces stay as they are. Numbers are read from the trials' logs: \"accuracy=0.97\",\n"
      "\"loss: 0.3\", JSON lines. Run it again to go on, with a larger budget if you like.\n"
      "Trials that need no earlier results (grid, random, sobol) can be one Indexed Job, which the cluster\n"
      "works off by itself: --fan-out indexed. Its image needs sh and sed.";
  command.examples =
      "  kml sweep run lr1 --param lr=log:1e-4..1e-1 --maximize accuracy -- python train.py {args}\n"
      "  kml sweep run -f experiment.yaml --trials 50";
  add_sweep_flags(command, options->request);
  command.flag("--dry-run", options->dry_run, "print the first trials, and make nothing");
  command.run = [options](Context& context) { return run_run(context, *options); };
  return command;
}

Command sweep_resume_command() {
  auto options = std::make_shared<ResumeOptions>();
  Command command{"resume", "Go on with a sweep, as it is"};
  command.takes("NAME", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_resume(context, *options); };
  return command;
}

}  // namespace kml::cli
