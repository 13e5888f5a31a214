#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <ostream>
#include <set>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/named_job.h"
#include "job/commands/submission_outcomes.h"
#include "kml/base/agent.h"
#include "kml/base/text.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/records/records.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/dev_session.h"
#include "kml/job/views/find.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/columns.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "tracking/runs/artifact_submits.h"

namespace kml::cli {

namespace {

struct HistoryOptions {
  std::vector<std::string> names;
  std::optional<long long> limit;
  std::optional<std::chrono::seconds> since;
  std::string output;
};

/// The name of the first job (or first object, if the run has no jobs), and how many others there are.
std::string job_names(const job::Submission& run) {
  const auto jobs = run.jobs();
  const size_t count = jobs.empty() ? run.objects.size() : jobs.size();
  return (jobs.empty() ? ui::object_name(run.objects[0]) : api::name_of(*jobs[0])) +
         (count > 1 ? " +" + std::to_string(count - 1) : "");
}

Json with_outcome(const job::Submission& run) {
  const job::SubmissionOutcome outcome = job::outcome_of(run);
  Json json = job::to_json(run);
  json["outcome"] = outcome.state;
  json["cause"] = outcome.cause;
  return json;
}

void print_runs(Context& context, const std::vector<job::Submission>& runs, const std::string& output) {
  if (ui::is_data(output)) {
    Json items = Json::array();
    for (const job::Submission& run : runs) items.push_back(with_outcome(run));
    ui::print_value(context.streams(), items, output);
    return;
  }
  constexpr size_t kLeastOfCommand = 40, kLongestOutcome = 30;
  const Streams& streams = context.streams();
  const auto outcome = [&](const job::Submission& run) {
    const job::SubmissionOutcome of_run = job::outcome_of(run);
    const std::string end = of_run.state + (of_run.cause.empty() ? "" : ": " + of_run.cause);
    return streams.out_is_terminal ? ui::cut_to(end, kLongestOutcome) : end;
  };
  const auto commit = [](const job::Submission& run) {
    const std::string text =
        string_at(run.git, {"commit"}).substr(0, 8) + (bool_at(run.git, {"dirty"}) ? "+" : "");
    return ui::or_dash(text);
  };
  const std::vector<ui::Column<job::Submission>> columns = {
      {"RUN",
       [](const job::Submission& run) { return run.id.starts_with("run/") ? run.id : run.id.substr(0, 8); }},
      {"AGE", [](const job::Submission& run) { return ui::age(run.time, system_clock().now()); }},
      {"JOB", [](const job::Submission& run) { return job_names(run); }},
      {"TARGET", [](const job::Submission& run) { return run.context + "/" + run.namespace_name; }},
      {"OUTCOME", outcome},
      {"COMMIT", commit},
      {"COMMAND",
       [](const job::Submission& run) { return shell_quoted(job::without_idle_guard(run.command)); }}};
  ui::Table table = ui::table_of(columns, runs);
  table.drop_first({"TARGET", "COMMIT"}, kLeastOfCommand);
  table.print(streams);
}

/// Why no attempts can be shown.
std::string no_attempts_in_words(const job::JobOrTask& named) {
  const job::JobView view = job::view_of_job(named.as_job({}));
  if (view.state == job::State::cancelled && !view.started && !view.ran)
    return named.name() + " was cancelled before it ran";
  return "kml has no record of an attempt of " + named.name() +
         (job::has_ended(view.state) ? ", which has ended" : " yet");
}

void print_attempts(Context& context, const std::vector<job::Attempt>& attempts, const job::JobOrTask& named,
                    const std::string& output) {
  if (ui::is_data(output))
    ui::print_value(context.streams(), ui::to_json(attempts), output);
  else if (attempts.empty())
    context.note(no_attempts_in_words(named));
  else
    ui::print_attempts(context.streams(), attempts, system_clock().now());
}

bool is_of_job(const job::Submission& run, const std::string& name) {
  auto jobs = run.jobs();
  return std::any_of(jobs.begin(), jobs.end(), [&](const Json* job) { return api::name_of(*job) == name; });
}

void keep_newest(std::vector<job::Submission>& runs, size_t most) {
  if (runs.size() > most) runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(most));
}

/// Adds the submits with artifacts, and keeps the last `most` of those that the command may show.
void add_artifact_submits(Context& context, std::vector<job::Submission>& runs, size_t most) {
  for (job::Submission& submit : tracking::artifact_submits()) runs.push_back(std::move(submit));
  std::erase_if(runs,
                [&](const job::Submission& run) { return !context.shows(run.context, run.namespace_name); });
  std::stable_sort(runs.begin(), runs.end(),
                   [](const job::Submission& a, const job::Submission& b) { return a.time < b.time; });
  keep_newest(runs, most);
}

/// Prints the runs of a deleted job, and the recorded attempts of its last run.
void print_runs_of(Context& context, const std::vector<job::Submission>& runs, const std::string& name,
                   const std::string& output) {
  context.note("the job was deleted; showing its runs, and the attempts that kml recorded");
  print_runs(context, runs, output);
  if (!output.empty()) return;
  for (const Json* job : runs.back().jobs()) {
    if (api::name_of(*job) != name) continue;
    const auto attempts =
        job::attempts_on_record(job::Submissions::of_user(), runs.back().id, job::job_key(*job));
    if (attempts.empty()) continue;
    context.note("attempts of the last run, which kml recorded while it watched the job");
    ui::print_attempts(context.streams(), attempts, system_clock().now());
  }
}

void print_job(Context& context, const std::string& name, const std::string& output) {
  const std::string job_name = name.substr(name.find('/') + 1);
  const job::Submissions records = job::Submissions::of_user();
  const auto ahead = ask_ahead_about(context, {name}, job::about_attempts);
  try {
    const job::JobOrTask named = named_job_or_task(context, name);
    const Json& job = named.job;
    std::vector<job::Attempt> attempts = job::attempts_of(context.client(), job, records);
    if (named.task)
      std::erase_if(attempts, [&](const job::Attempt& attempt) {
        return attempt.index != std::to_string(*named.task);
      });
    print_attempts(context, attempts, named, output);
    if (const std::string note = named.task ? "" : job::unknown_attempts_in_words(job, attempts);
        !note.empty())
      context.note(note);
  } catch (const Error& error) {
    if (error.reason != "NotFound") throw;
    std::vector<job::Submission> runs = records.read();
    add_artifact_submits(context, runs, std::numeric_limits<size_t>::max());
    std::erase_if(runs, [&](const job::Submission& run) {
      return run.context != context.place().context || !is_of_job(run, job_name) ||
             !context.shows(run.context, run.namespace_name);
    });
    if (runs.empty()) throw;
    print_runs_of(context, runs, job_name, output);
  }
}

/// If a run's line in the records is damaged, the run is missing in the table.
void note_damage(Context& context, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  context.note("warning: the output lacks runs, or parts of runs, because these lines are damaged: " +
               some_of(lines, 5) + "; correct or remove these lines");
}

int run_history(Context& context, const HistoryOptions& options) {
  if (!options.names.empty()) {
    print_job(context, options.names[0], options.output);
    return 0;
  }
  std::vector<std::string> damaged;
  const long long most = options.limit.value_or(options.since ? std::numeric_limits<long long>::max() : 50);
  // For an agent, the newest records may all be of other targets.
  const size_t newest = runs_for_agent() ? std::numeric_limits<size_t>::max() : static_cast<size_t>(most);
  std::vector<job::Submission> runs = job::Submissions::of_user().read(newest, &damaged);
  note_damage(context, damaged);
  const auto is_too_old = [begin = options.since ? system_clock().now() - *options.since : Time::min()](
                              const job::Submission& run) { return run.time < begin; };
  std::erase_if(runs, is_too_old);
  std::erase_if(runs,
                [&](const job::Submission& run) { return !context.shows(run.context, run.namespace_name); });
  keep_newest(runs, static_cast<size_t>(most));
  look_up_outcomes(context, runs);
  add_artifact_submits(context, runs, static_cast<size_t>(most));
  std::erase_if(runs, is_too_old);
  if (runs.empty() && options.output.empty()) {
    context.note(options.since ? "no runs since then" : "no runs yet");
    return 0;
  }
  print_runs(context, runs, options.output);
  return 0;
}

}  // namespace

Command history_command() {
  auto options = std::make_shared<HistoryOptions>();
  Command command{"history", "Show your runs, or all attempts of one job"};
  command.examples = R"(# Your last 10 runs
kml history --limit 10
# The runs of the last week
kml history --since 7d
# All attempts of a job
kml history bert
kml history -o json)";
  command.description =
      R"(kml records each submission on this machine, with its manifests, command, commit, uncommitted changes, target,
times and outcome.
-o json shows the whole record, and `kml rerun` submits a run again.

With JOB, kml shows each attempt, the training steps that it completed (if the program reports them), and who preempted
it. A cluster deletes preempted pods, and forgets events (by default after an hour). After that, kml reads the lines in
the current pod's log that start with "kml-attempt" (kml-trainer prints such lines), and the records that kml made on this machine
while it watched the job, for example with submit --follow, logs -f, wait or history. If neither the log nor the
records say who preempted the job, kml prints "unknown".)";
  command.takes("JOB", options->names, "show the attempts of this job; @ is your newest job", 0, 1);
  command
      .option("--limit", "N", options->limit, "show only the last N runs [default: 50; with --since, all]", 1)
      .details("Show only the last N runs. [default: 50; with --since, all]");
  command.option("--since", "DURATION", options->since, "show only runs younger than this: 90m, 12h, 7d")
      .details("Show only runs that were submitted less than this long ago: 90s, 15m, 2h, 1d.");
  add_output_format(command, {"json", "yaml"}, options->output, "print all details in this format")
      .details("Print all details of the runs or attempts in this format.");
  command.run = [options](Context& context) { return run_history(context, *options); };
  return command;
}

}  // namespace kml::cli
