#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/job/submit/submit_record.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "kml/sweep/samplers/sampler.h"
#include "pipeline/commands/submit_data.h"
#include "sweep/commands/sweep_detached.h"
#include "sweep/commands/sweep_flags.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_overlay.h"
#include "sweep/commands/sweep_plan.h"
#include "sweep/commands/sweep_planned.h"
#include "sweep/commands/sweep_removal.h"
#include "sweep/commands/sweep_request.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"
#include "sweep/runner/trial_names.h"
#include "sweep/spec/unused_settings.h"
#include "sweep/spec/warm_start.h"

namespace kml::cli {

namespace {

/// The text of a file as UTF-8. PowerShell and spreadsheets write UTF-16, or a byte order mark before UTF-8.
std::string read_text(const std::string& file, size_t limit) {
  std::string text = read_file(file, limit);
  if (std::optional<std::string> converted = from_utf16(text)) return *std::move(converted);
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

sweep::WarmStart results_of(Context& context, const std::string& from, const sweep::SweepSpec& spec,
                            const sweep::Space& space) {
  constexpr size_t kLargest = size_t{1} << 30;
  if (from.ends_with(".jsonl") || from.ends_with(".csv") || from.find('/') != std::string::npos)
    return sweep::warm_start_of_file(read_text(from, kLargest), from, spec.objective.metric, space);
  const sweep::SweepState earlier = state_of(context, from);
  const sweep::Objective& other = earlier.spec().objective;
  const auto words = [](const sweep::Objective& objective) {
    return std::string(objective.maximize ? "maximizes " : "minimizes ") + objective.metric;
  };
  if (words(other) != words(spec.objective))
    throw usage_error("--warm-start " + from + ": the earlier sweep has another objective",
                      "it " + words(other) + ", this one " + words(spec.objective));
  return sweep::warm_start_of(earlier.trials(), space);
}

bool exists(Context& context, const std::string& name) {
  return has_begun(name) || find_cluster_sweep(context, name);
}

/// Copies the results in a sweep or a file (.jsonl, .csv) to the document's spec.warmStart, and prints how
/// many there are. Throws usage Error if they have a different objective.
void warm_start(Context& context, Json& document, const std::string& from) {
  const sweep::SweepSpec spec = sweep::parse_sweep(document, "the sweep");
  const sweep::Space space(spec.parameters, spec.constraints);
  sweep::WarmStart warm = results_of(context, from, spec, space);
  const size_t count = warm.entries.size();
  context.note(
      "learning from " + std::to_string(count) + (count == 1 ? " result of " : " results of ") + from +
      (warm.outside == 0 ? "" : "; left out " + std::to_string(warm.outside) + " outside the search space"));
  const std::string algorithm = sweep::algorithm_of(spec, space);
  if (sweep::make_sampler(algorithm, space)->is_static())
    context.note("these results have no effect: " + algorithm + " does not learn from results");
  document["spec"]["warmStart"] = std::move(warm.entries);
}

/// The name for a sweep with `--fork`. If no sweep is called `name`, returns `name`. Otherwise, returns the
/// name of the last fork or, if that fork has a different search space, the name of a new fork.
/// `document_for` makes the sweep's document for a name. Sets `parent` to the sweep from which a new fork
/// learns.
std::string fork_name(Context& context, const std::string& name,
                      const std::function<Json(const std::string& name)>& document_for, std::string& parent) {
  if (!exists(context, name)) return name;
  std::string last = name;
  for (int i = 2;; ++i) {
    std::string next = name + "-" + std::to_string(i);
    if (!exists(context, next)) {
      const Json before = state_of(context, last).spec().document;
      if (sweep::changed_space(before, document_for(last)).empty()) return last;
      parent = last;
      return next;
    }
    last = next;
  }
}

struct RunOptions {
  SweepRequest request;
  InClusterFlags engine;
  std::string warm_start;
  PlanFlags plan;
  bool fork = false, detach = false;
};

Error elsewhere(const std::string& name, const std::string& where) {
  return usage_error("the name " + name + " is in use by another sweep " + where, "",
                     "give the new sweep another name; `kml sweep resume " + name +
                         "` continues the other sweep, and `kml sweep delete " + name +
                         "` deletes that sweep");
}

void refuse_senseless(const RunOptions& options) {
  if (options.detach && options.engine.in_cluster)
    throw not_together("--detach", "--in-cluster",
                       "with --in-cluster, the engine is a job in the cluster, and kml returns at once",
                       "leave --detach out");
  if (options.request.replace && options.engine.in_cluster)
    throw not_together("--replace", "--in-cluster",
                       "the journal of the old sweep is on a volume, which only a job can reach",
                       "`kml sweep delete NAME` prints how to remove the journal");
  if (options.request.replace && options.fork)
    throw not_together("--replace", "--fork", "--fork keeps the existing sweep, and --replace removes it");
  const auto refuse_in_plan = [&](bool is_set, const char* flag, const char* why) {
    if (is_set && options.plan.is_given()) throw not_together("--plan", flag, why);
  };
  refuse_in_plan(options.request.replace, "--replace", "a plan never deletes a sweep");
  refuse_in_plan(options.fork, "--fork", "a plan starts one sweep, with one name");
  refuse_in_plan(options.engine.in_cluster, "--in-cluster",
                 "kml can plan a sweep only if the sweep's engine is on this machine");
  refuse_in_plan(options.request.dry_run, "--dry-run", "the plan already has the result of --dry-run");
  refuse_in_plan(options.request.file == "-", "-f -", "`kml apply` could not read standard input again");
  if (!options.plan.output.empty() && !options.plan.is_given()) throw usage_error("-o needs --plan");
}

/// Runs the sweep with an engine in the cluster.
int run_there(Context& context, const sweep::SweepSpec& spec, const RunOptions& options,
              const SweepDocument& asked, const std::function<Json()>& code) {
  if (has_begun(spec.name)) throw elsewhere(spec.name, "from this machine");
  if (!find_cluster_sweep(context, spec.name)) refuse_impossible_trials(context, spec, asked.secrets);
  context.tell_target();
  for (const std::string& note : asked.notes) context.note(note);
  run_in_cluster(context, spec, options.engine, asked.secrets, code);
  return 0;
}

/// The sweep's document, including the results from which a new sweep learns.
SweepDocument document_of(Context& context, const RunOptions& options) {
  SweepDocument asked = sweep_document(context, options.request);
  std::string teacher = options.warm_start;
  const std::string name = sweep_name(asked.document);
  if (options.fork) {
    const auto under = [&](const std::string& other) {
      SweepRequest request = options.request;
      request.names = {other};
      return sweep_document(context, request);
    };
    std::string parent;
    const auto document = [&](const std::string& other) {
      Json going_on = under(other).document;
      if (const auto before = begun_document(context, other)) keep_unsaid(going_on, *before);
      return going_on;
    };
    const std::string fork = fork_name(context, name, document, parent);
    if (fork != name) asked = under(fork);
    if (!parent.empty()) context.note("sweep " + fork + " is a fork of " + parent);
    if (teacher.empty()) teacher = parent;
  }
  const std::string own = sweep_name(asked.document);
  if (!teacher.empty() && (options.request.replace || !has_begun(own)) && !find_cluster_sweep(context, own))
    warm_start(context, asked.document, teacher);
  return asked;
}

/// Runs the sweep. With `detached`, a background engine opens the journal itself.
int go_on_as(bool detached, Context& context, const std::string& name,
             std::optional<sweep::Journal>& journal) {
  if (!detached) return go_on_here(context, name, *journal);
  journal.reset();
  return run_detached(context, name);
}

/// Starts the engine of a sweep that an earlier apply of the plan has begun, unless it is running or has
/// ended: a plan does not resume a sweep that was stopped.
int go_on_with_planned(Context& context, const std::string& name) {
  if (const std::string end = state_of(context, name).end().reason; !end.empty()) {
    context.note("the plan was applied earlier: sweep " + name + " has ended: " + end);
    return 0;
  }
  if (sweep::writer_of(sweep::sweep_folder(name))) {
    context.note("the plan was applied earlier: sweep " + name + " is running");
    return 0;
  }
  return run_detached(context, name);
}

/// What is recorded about the code of a new sweep.
Json code_of(job::GitState& git, const SweepDocument& asked) {
  Json code;
  set_said(code, {{"git", git.take()}, {"packages", asked.packages}});
  return code;
}

int run_run(Context& context, const RunOptions& options) {
  refuse_senseless(options);
  const std::optional<job::PlanFile> planned = plan_to_apply(context);
  if (planned && was_begun_by(*planned, api::name_of(planned->objects.at(0))))
    return go_on_with_planned(context, api::name_of(planned->objects.at(0)));
  require_cluster(context, options.engine, "on this machine, --detach runs a sweep in the background");
  job::GitState git(std::filesystem::current_path());  // git runs meanwhile
  SweepDocument asked = document_of(context, options);
  const auto code = [&] { return code_of(git, asked); };
  const std::string source = source_of(options.request);
  const bool replaces = options.request.replace;
  const auto before = replaces ? std::nullopt : begun_document(context, sweep_name(asked.document));
  if (before) keep_unsaid(asked.document, *before);
  choose_fan_out(context, asked.document, before, source);
  separate_files(context, asked.document, before, source);
  const sweep::SweepSpec spec = sweep::parse_sweep(asked.document, source);
  const sweep::TrialTemplate checked(spec);
  static_cast<void>(sweep::ends_of_trials(spec));
  sweep::check_trial_names(spec);
  for (std::string& note : sweep::holes_nearly_met(spec)) asked.notes.push_back(std::move(note));
  if (std::string note = sweep::note_on_unused_settings(asked.document); !note.empty())
    asked.notes.push_back(std::move(note));
  refuse_shared_file(context, spec);
  require_shared_checkpoints(context, spec);
  if (options.request.dry_run) {
    if (before) require_same_space(spec.name, *before, spec.document);  // a real run would check this, too
    for (const std::string& note : asked.notes) context.note(note);
    return show_plan(context, spec);
  }
  if (planned) {
    require_new_sweep(context, spec.name);
    require_unchanged(*planned, plan_of_sweep(context, spec));
  } else if (options.plan.is_given()) {
    return write_sweep_plan(context, spec, asked.secrets, asked.notes, options.plan);
  }
  if (options.engine.in_cluster) return run_there(context, spec, options, asked, code);
  const bool is_begun = has_begun(spec.name);
  if (!is_begun || replaces) {
    if (!is_begun && find_cluster_sweep(context, spec.name)) throw elsewhere(spec.name, "in the cluster");
    refuse_impossible_trials(context, spec, asked.secrets);
  }
  for (const std::string& note : asked.notes) context.note(note);
  if (is_begun && replaces) {
    remove_sweep(context, spec.name);
    context.note("the old sweep " + spec.name + " was deleted");
  }
  std::optional<sweep::Journal> journal(std::in_place, sweep::sweep_folder(spec.name), owner());
  std::filesystem::remove(stop_file(spec.name));  // an engine may have died before it noticed the file
  if (planned) mark_as_planned(spec.name, *planned);
  const std::string id = begin_or_change(*journal, context, spec, random_hex(8), code);
  const sweep::SweepMarks marks{spec.name, id, context.target().namespace_name};
  if (asked.is_as_begun)
    sweep::require_sweep_secrets(context.client(), marks, spec.trial);
  else
    sweep::make_sweep_secrets(context.client(), marks, asked.secrets);
  return go_on_as(options.detach || planned, context, spec.name, journal);
}

int run_resume(Context& context, const RunOptions& options) {
  const SweepRequest& request = options.request;
  const std::string& name = request.names[0];
  const bool is_changed = request.trials || request.parallel || request.time || !request.goal.empty() ||
                          !request.gpu_hours.empty();
  if (!has_begun(name))
    if (const auto there = find_cluster_sweep(context, name)) {
      if (options.detach)
        throw usage_error("--detach is for sweeps on this machine",
                          "the engine of sweep " + name + " is a job in the cluster", "leave --detach out");
      if (is_changed)
        throw usage_error("sweep " + name + " runs in the cluster",
                          "the engine in the cluster manages the sweep's budget",
                          "give the flags to `kml sweep run " + name + " --in-cluster ...`");
      resume_in_cluster(context, *there);
      return 0;
    }
  const sweep::SweepState state = state_of(context, name);  // throws Error if the sweep does not exist
  if (is_changed) return run_run(context, options);
  std::optional<sweep::Journal> journal(std::in_place, sweep::sweep_folder(name), owner());
  std::filesystem::remove(stop_file(name));
  sweep::require_sweep_secrets(
      context.client(), {state.spec().name, state.id(), context.target().namespace_name}, state.spec().trial);
  return go_on_as(options.detach, context, name, journal);
}

void add_detach_flag(Command& command, RunOptions& options) {
  command.flag("--detach", options.detach, "run the sweep in the background, and return once it has started");
}

std::vector<ManualSection> sections_of_sweep_run() {
  return {
      {"Continue a sweep",
       R"(Run the command again to continue a sweep, with a larger budget if you like. Budgets, --goal, --parallel and --retries
keep their values unless you give them again. If you give no file, command or parameters, the rest of the sweep stays
the same too, as in kml sweep run lr1 --trials 200.)"},
      {"Many trials as one job",
       R"(Trials that need no earlier results (grid, random, sobol) can be one Indexed Job: --fan-out indexed. The image
of an Indexed Job needs sh and sed. On a cluster, one Indexed Job is the default for 1,000 trials or more.)"},
      {"In the background",
       R"(With --detach, the sweep runs in the background and keeps running when you close the terminal.
`kml sweep attach` shows such a sweep live, and `kml sweep logs NAME --engine` prints the engine's messages. Some
systems kill all processes of a user at logout; `loginctl enable-linger` prevents that, and `kml sweep resume`
continues a sweep that was killed.)"},
      {"In the cluster",
       R"(With --in-cluster, you can shut this machine down. kml then runs as a job with one small pod, and keeps its
journal on a volume. All `kml sweep` commands work from any machine. The pod's service account needs these rights:

- create, get, list, watch and patch the trials, which are jobs or other objects; also delete them if kml does not know their kind
- get, list, watch and patch pods; get pods/log
- create, get, patch and delete config maps, and list and watch those of the sweep
- if the cluster starts pods in gangs: create, get, patch and delete pod groups)"}};
}

}  // namespace

Command sweep_run_command() {
  auto options = std::make_shared<RunOptions>();
  Command command{"run", "Start a sweep, or continue an existing one"};
  command.description =
      R"(In the command, {args} becomes --lr=0.01 --batch=32, {lr} becomes one value, and {trial} the trial's number. Other
braces are left unchanged. kml reads metrics from the trials' logs: "accuracy=0.97", "loss: 0.3" or JSON lines.

Run the command again to continue a sweep, with a larger budget if you like, as in kml sweep run lr1 --trials 200. With
--detach, the sweep runs in the background, and with --in-cluster in a pod.)";
  command.manual = sections_of_sweep_run;
  command.examples =
      R"(kml sweep run lr1 --param lr=log:1e-4..1e-1 --maximize accuracy -- python train.py {args}
kml sweep run lr2 --param width=16..512 --maximize accuracy --minimize latency -- python train.py {args}
kml sweep run -f experiment.yaml --trials 50
# In the cluster, with its journal on a volume
kml sweep run -f sweep.yaml --in-cluster --engine-image registry.example/kml:1 --journal-volume pvc/runs/sweeps)";
  add_search_flags(command, options->request);
  command.options_under("Search");
  command
      .option("--warm-start", "SWEEP|FILE", options->warm_start,
              "learn from another sweep, or from a file that `kml sweep export` wrote")
      .after("--algorithm");
  command
      .flag("--fork", options->fork,
            "if the search space differs, start a new sweep that learns from the existing one")
      .after("--warm-start");
  command
      .flag("--replace", options->request.replace,
            "delete the existing sweep and its jobs, once the new one is checked")
      .after("--fork");
  command.options_under("Where the sweep runs");
  add_detach_flag(command, *options);
  add_in_cluster_flags(command, options->engine, {});
  add_trial_flags(command, options->request);
  command.options_under("Checks and output");
  command.flag("--dry-run", options->request.dry_run, "print the first trials and create nothing");
  add_plan_flags(command, options->plan);
  command.run = [options](Context& context) {
    options->request.complete = [&context, &request = options->request](job::SubmitPlan& plan,
                                                                        const std::string& sweep) {
      add_data(context, !request.dry_run, plan, sweep);
    };
    if (options->request.file == "-")
      options->request.standard_input = {std::istreambuf_iterator<char>(std::cin), {}};
    return run_run(context, *options);
  };
  return command;
}

Command sweep_resume_command() {
  auto options = std::make_shared<RunOptions>();
  Command command{"resume", "Continue a sweep, as it is or with another budget"};
  command.takes("SWEEP", options->request.names, "the sweep's name", 1, 1);
  command.examples = R"(kml sweep resume lr1
# With a larger budget
kml sweep resume lr1 --trials 200)";
  add_budget_flags(command, options->request);
  add_detach_flag(command, *options);
  command.run = [options](Context& context) { return run_resume(context, *options); };
  return command;
}

}  // namespace kml::cli
