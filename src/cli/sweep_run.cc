#include <unistd.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/context.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_request.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/jobs/sweep_runner.h"
#include "kml/sweep/engine.h"
#include "kml/sweep/sampler.h"
#include "kml/sweep/trial_template.h"
#include "kml/ui/screen.h"
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

/// The live table on a terminal; elsewhere a line for each trial that ends.
class View {
 public:
  explicit View(Context& context) : context_(context), screen_(context.streams()) {}

  void show(const sweep::Engine& engine) {
    if (context_.streams().out_is_terminal) return draw(engine);
    const auto& state = engine.state();
    if (!begun_) told_ = state.ended().size();
    begun_ = true;
    for (; told_ < state.ended().size(); ++told_) tell(state, state.trials()[state.ended()[told_]]);
  }
  void end() {
    if (context_.streams().out_is_terminal) screen_.end();
  }

 private:
  void draw(const sweep::Engine& engine) {
    const Time now = system_clock().now();
    screen_.draw(ui::lines_of(context_.streams(), [&](const Streams& streams) {
      streams.out << ui::sweep_summary(engine.state(), now) << "\n";
      ui::print_trials(streams, engine.state(), &engine, std::max<size_t>(screen_.rows(), 6) - 4, true, now);
    }));
  }
  void tell(const sweep::SweepState& state, const sweep::Trial& trial) {
    context_.streams().out << "trial " << trial.number << " " << trial.outcome;
    if (trial.value)
      context_.streams().out << "  " << state.spec().objective.metric << "=" << ui::number_text(*trial.value);
    context_.streams().out << "  " << ui::in_words(trial.values);
    if (!trial.cause.empty()) context_.streams().out << "  " << trial.cause.substr(0, trial.cause.find('\n'));
    context_.streams().out << std::endl;
  }

  Context& context_;
  ui::Screen screen_;
  size_t told_ = 0;
  bool begun_ = false;
};

int report(Context& context, const sweep::SweepState& state) {
  context.note("sweep " + state.spec().name + " has ended: " + state.end());
  context.note(ui::sweep_summary(state, state.last_time()));
  if (!state.best()) return static_cast<int>(ErrorCode::job_failed);
  context.note("best: " + ui::in_words(state.trials()[*state.best()].values) + "   (kml sweep best " +
               state.spec().name + ")");
  return 0;
}

int go_on(Context& context, const std::string& name, sweep::Journal& journal) {
  sweep::SweepState state;
  journal.read([&](const Json& record) { state.apply(record); });
  check_target(context, state);
  const sweep::TrialTemplate trial_template(state.spec());
  context.streams().err << "→ " << context.target().context << "/" << context.target().namespace_name
                        << " as " << context.target().user << std::endl;
  const jobs::Interrupt interrupt;
  jobs::SweepRunnerOptions options{name,
                                   state.id(),
                                   context.target().namespace_name,
                                   state.spec().stopping.resource,
                                   state.spec().collector.filters,
                                   [&](const sweep::TrialJob& job) { return trial_template.manifest(job); }};
  const auto runner = jobs::make_sweep_runner(context.client(), std::move(options), interrupt);
  View view(context);
  const fs::path stop_file = sweep::sweeps_folder() / name / "stop";
  sweep::Engine engine(
      journal, *runner, system_clock(),
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

/// What the space is, and the first trials.
int show_plan(Context& context, const sweep::SweepSpec& spec) {
  const sweep::Space space(spec.parameters, spec.constraints);
  const sweep::TrialTemplate trial_template(spec);
  const std::string algorithm =
      spec.algorithm == "auto" ? sweep::choose_sampler(space, spec.budget.trials) : spec.algorithm;
  const auto sampler = sweep::make_sampler(algorithm, space, {.seed = spec.seed, .startup = spec.startup});
  std::ostream& out = context.streams().out;
  out << spec.name << ": " << spec.budget.trials << " trials, " << spec.parallel << " at once, by "
      << algorithm;
  if (const auto size = space.size()) out << ", of " << *size << " points";
  out << "\n";
  std::vector<sweep::Observation> running;
  for (std::uint64_t trial = 0; trial < std::min<std::uint64_t>(5, spec.budget.trials); ++trial) {
    const auto point = sampler->propose(trial, {{}, running});
    if (!point) break;
    const Json values = space.assignment(*point);
    out << "trial " << trial << "  " << ui::in_words(values) << "\n";
    running.push_back({.trial = trial, .point = *point});
  }
  return 0;
}

int run_run(Context& context, const RunOptions& options) {
  const sweep::SweepSpec spec =
      sweep::parse_sweep(sweep_document(context, options.request),
                         options.request.file.empty() ? "the command line" : options.request.file);
  const sweep::TrialTemplate checked(spec);
  if (options.dry_run) return show_plan(context, spec);
  sweep::Journal journal(sweep::sweeps_folder() / spec.name, owner());
  begin_or_change(journal, context, spec);
  return go_on(context, spec.name, journal);
}

struct ResumeOptions {
  std::vector<std::string> names;
};

int run_resume(Context& context, const ResumeOptions& options) {
  const fs::path folder = sweep::sweeps_folder() / options.names[0];
  sweep::read_journal(folder, [](const Json&) {});  // says that there is none
  sweep::Journal journal(folder, owner());
  return go_on(context, options.names[0], journal);
}

}  // namespace

Command sweep_run_command() {
  auto options = std::make_shared<RunOptions>();
  Command command{"run", "Run a sweep, or go on with one of that name"};
  command.description =
      "In the command, {args} stands for --lr=0.01 --batch=32, {lr} for one value, {trial} for the trial's\n"
      "number; other braces stay as they are. Numbers are read from the trials' logs: \"accuracy=0.97\",\n"
      "\"loss: 0.3\", JSON lines. Run it again to go on, with a larger budget if you like.";
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
