#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "job/commands/follow.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/engine/watching/event_mark.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "sweep/commands/sweep_detached.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_tail.h"
#include "sweep/runner/trial_pods.h"

namespace kml::cli {

namespace {

struct SweepLogsOptions {
  std::vector<std::string> words;
  bool follow = false, engine = false;
};

std::string job_of_trial(const sweep::SweepState& state, const std::string& word) {
  const std::optional<int> told = whole_number(word);
  const size_t trials = state.trials().size(), number = told ? static_cast<size_t>(*told) : trials;
  if (number >= trials)
    throw usage_error(
        "sweep " + state.spec().name + " has no trial " + word,
        trials == 0 ? "no trial has started" : "it has trials 0 to " + std::to_string(trials - 1));
  return state.trials()[number].job;
}

/// The names of the objects of the trials.
std::set<std::string> job_names(const sweep::SweepState& state) {
  std::set<std::string> names;
  for (const sweep::Trial& trial : state.trials())
    names.insert(state.spec().is_indexed ? trial.job.substr(0, trial.job.rfind('-')) : trial.job);
  return names;
}

/// Selects pods directly, for trials of a kind that kml does not know.
void select_pods(Context& context, const SweepLogsOptions& options, const sweep::SweepState& state,
                 job::LogSelection& selection) {
  std::set<std::string> names;
  if (options.words.size() > 1)
    names.insert(job_of_trial(state, options.words[1]));
  else
    names = job_names(state);
  const sweep::SweepMarks marks{state.spec().name, state.id(), context.target().namespace_name};
  const std::vector<Json> trials = sweep::trial_objects(context.client(), marks, state.spec().trial, names);
  if (trials.empty()) return;
  selection.namespace_name = marks.namespace_name;
  selection.pod_selector = sweep::trial_pod_selector(context.client(), marks, state.spec().conditions, trials,
                                                     options.words.size() > 1 ? options.words[1] : "");
  selection.owners = job::owners_of(trials);
}

/// Selects the jobs of the trials that the engine on this machine will start.
void select_later_trials(Context& context, const std::string& name, const std::string& labels,
                         job::LogSelection& selection) {
  constexpr std::chrono::milliseconds kPause{300};
  const auto trials = std::make_shared<TrialsSoFar>(name);
  selection.namespace_name = context.target().namespace_name;
  selection.to_come = {.selector = labels,
                       .wants = [trials](const Json& job) { return trials->have(job); },
                       .is_over = [trials] { return trials->are_complete(); },
                       .pause = kPause};
}

/// Selects the job of the trial (or its index of a job), or the jobs of all trials. If the sweep runs in the
/// cluster and no trial is given, selects the engine.
void select(Context& context, const SweepLogsOptions& options, job::LogSelection& selection) {
  const std::string& name = options.words[0];
  kube::Client& client = context.client();
  const std::string& namespace_name = context.target().namespace_name;
  if (options.words.size() == 1)
    if (const auto there = find_only_in_cluster(context, name)) {
      selection.jobs = {job::find_job(client, namespace_name, engine::engine_name(name))};
      return;
    }
  const sweep::SweepState state = state_of(context, name);
  if (!job::is_job(state.spec().trial)) return select_pods(context, options, state, selection);
  if (options.words.size() == 1) {
    const std::string own = std::string(api::kSubmitId) + "=" + state.id() + "," + std::string(api::kSweep);
    if (options.follow) select_later_trials(context, name, own, selection);
    selection.jobs = job::list_jobs(client, namespace_name, own);
    std::erase_if(selection.jobs,
                  [names = job_names(state)](const Json& job) { return !names.contains(api::name_of(job)); });
    return;
  }
  const std::string job = job_of_trial(state, options.words[1]);
  const auto index = state.spec().is_indexed ? job::find_index(client, namespace_name, job) : std::nullopt;
  if (index) selection.rank = index->index;
  selection.jobs = {index ? index->job : job::find_job(client, namespace_name, job)};
}

/// Prints the messages of background engines on this machine.
int print_engine_log(Context& context, const std::string& name) {
  if (!has_begun(name)) state_of(context, name);  // throws Error if the sweep does not exist
  const std::optional<std::string> log = read_file_if_exists(engine_log(name));
  if (!log) context.note("sweep " + name + " has not run in the background (--detach)");
  context.streams().out << log.value_or("");
  return 0;
}

/// Whether the selection has logs now, or may have them later.
bool has_logs(const job::LogSelection& selection) {
  return !selection.jobs.empty() || !selection.pod_selector.empty() || selection.to_come;
}

int follow_trials(Context& context, const std::string& sweep, const FollowOptions& follow) {
  const int code = follow_jobs(context, follow);
  if (!follow.selection.to_come) return code;
  if (code == static_cast<int>(ErrorCode::interrupted))
    context.note("sweep " + sweep + " is still running; `kml sweep logs -f " + sweep +
                 "` follows its logs again, `kml sweep stop " + sweep + "` stops it");
  else if (is_left(sweep, state_of(context, sweep)))
    context.note(left_in_words(sweep));
  return code;
}

int run_sweep_logs(Context& context, const SweepLogsOptions& options) {
  if (options.engine && options.words.size() > 1)
    throw not_together("--engine", "a trial", "the sweep's engine has one log for all trials",
                       "leave out --engine, or " + options.words[1]);
  if (options.engine && !find_only_in_cluster(context, options.words[0])) {
    if (options.follow)
      throw not_together("--follow", "--engine", "", "kml sweep attach " + options.words[0]);
    return print_engine_log(context, options.words[0]);
  }
  FollowOptions follow;
  select(context, options, follow.selection);
  if (!has_logs(follow.selection)) {
    context.note("sweep " + options.words[0] + " has no jobs in this namespace");
    return 0;
  }
  if (follow.selection.jobs.empty()) follow.rules.exclude.emplace_back(engine::kEventMark);
  follow.selection.gone_pods = context.place().is_local;
  if (options.follow) return follow_trials(context, options.words[0], follow);
  print_logs(context, follow);
  return 0;
}

}  // namespace

Command sweep_logs_command() {
  auto options = std::make_shared<SweepLogsOptions>();
  Command command{"logs", "Print or follow the logs of trials, or of the engine"};
  command.description =
      "Without TRIAL, kml prints the logs of all trials or, if the sweep runs in the cluster, the log of its "
      "engine. `kml logs --sweep NAME` also prints the logs of all trials, and accepts all flags of `kml "
      "logs`.";
  command.takes("SWEEP [TRIAL]", options->words, "the sweep's name, and a trial number", 1, 2);
  command.examples = R"(# The log of trial 3
kml sweep logs lr1 3
kml sweep logs lr1 -f)";
  command.flag("--engine", options->engine,
               "print the messages of an engine in the background or in the cluster");
  command
      .flag("-f,--follow", options->follow,
            "follow the logs, even those of later trials, until the sweep ends")
      .details(
          "Print new lines, even those of trials that start later, until the sweep has ended. With TRIAL, "
          "until that trial has ended.");
  command.run = [options](Context& context) { return run_sweep_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
