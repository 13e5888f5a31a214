#include "kml/job/why/why.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/named_job.h"
#include "job/commands/worker_cluster.h"
#include "job/first_error/explain_by_log.h"
#include "job/tables/reports.h"
#include "kml/base/text.h"
#include "kml/job/first_error/first_error.h"
#include "kml/job/why/cause.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_selection.h"
#include "schedule/commands/why_schedule.h"
#include "serve/commands/why_served.h"

namespace kml::cli {

namespace {

struct WhyOptions {
  std::vector<std::string> names;
  std::string output;
};

/// Whether a container of the job has failed. If so, its last lines are the best explanation.
bool has_last_words(const job::Cause& cause) {
  using enum job::CauseCode;
  constexpr std::array kCodes = {crash_loop, init_container_fails, backoff, failing, restarting};
  return cause.outlook == job::Outlook::failed ||
         std::find(kCodes.begin(), kCodes.end(), cause.code) != kCodes.end();
}

std::optional<job::FirstError> last_words(Context& context, job::Verdict& verdict) {
  if (std::none_of(verdict.causes.begin(), verdict.causes.end(), has_last_words)) return {};
  try {
    return job::first_error_of(context.client(), verdict.object,
                               {.pods = verdict.pods, .only_last_attempts = true});
  } catch (const Error& error) {
    verdict.unknown.push_back("its last lines: " + (error.why.empty() ? error.message : error.why));
    return {};
  }
}

/// Prints which step holds up a pipeline run, and returns its job. Prefers a failed step, then one that has
/// not started, then a running one, and last a step whose failure does not end the run. Empty if no step
/// holds up the run, or if that step has no job: a step may fail before it gets one.
std::string job_that_holds_up(Context& context, const pipeline::RunState& run) {
  using pipeline::Phase;
  const std::string& name = run.name();
  const pipeline::Pipeline steps = pipeline::pipeline_of(run);
  const auto rank = [&](const auto& entry) {
    const auto& [step_name, state] = entry;
    const pipeline::Step* const step = steps.find(step_name);
    if (state.phase == Phase::failed) return step && step->continues ? 1 : 4;
    if (state.job.empty()) return 0;
    return state.phase != Phase::running ? 0 : state.is_seen ? 2 : 3;
  };
  const auto held = std::max_element(run.steps().begin(), run.steps().end(),
                                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (held == run.steps().end() || rank(*held) == 0) {
    context.note(
        "nothing blocks run " + name + ": " +
        (run.end() ? "it has " + std::string(name_of(*run.end())) : "its next step has not started"));
    return {};
  }
  const auto& [step_name, state] = *held;
  context.note("run " + name + ": step " + step_name + " " + ui::step_state_text(state, run) +
               (state.cause.empty() ? "" : ": " + state.cause));
  const pipeline::Step* const step = steps.find(step_name);
  if (state.job.empty() || !step || !(is_sweep(*step) || is_serve(*step))) return state.job;
  context.note(is_sweep(*step) ? "`kml sweep status " + state.job + "` shows its trials"
                               : "`kml serve list` shows the served program");
  return {};
}

/// The job that explains a run in the cluster: the engine's job if the engine has not started or has ended
/// too early, otherwise the job that holds up the run.
std::string job_of_run_there(Context& context, const ClusterEngine& there) {
  std::string engine = engine_job_name(context, there.marks);
  if (engine::read_journal_copy(context.client(), there.marks).empty()) return engine;
  const pipeline::RunState run = state_of_run(context, there);
  return is_left(context, {run, there}) ? engine : job_that_holds_up(context, run);
}

/// The verdict of the cluster in which Kueue runs the job, if the user has a context of that cluster.
job::Verdict where_it_runs(Context& context, const std::string& name, job::Verdict verdict) try {
  if (job::has_ended(verdict.job.state)) return verdict;
  enter_cluster_of(context, verdict.object);
  if (!context.has_entered()) return verdict;
  return job::why(context.client(), verdict.job.namespace_name, name);
} catch (const Error& error) {
  context.leave();
  verdict.unknown.push_back(message_and_why(error) + (error.fix.empty() ? "" : "; " + error.fix));
  return verdict;
}

/// The command with the flags that select its server. A command about a job other than the verdict's applies
/// to the cluster in which kml looked up the verdict, which may be a worker cluster.
std::string for_its_server(Context& context, const job::Verdict& verdict, const std::string& command) {
  GlobalOptions target = context.options();
  if (context.has_entered() && !contains(command, " " + verdict.job.name))
    target.context = context.place().context;
  return for_same_target(target, command);
}

/// Looks for a job with the name first, because most names are names of jobs. A run in the cluster has no job
/// with its own name. Returns nothing if nothing holds up the run, or if the name was a schedule's or a
/// model's and its explanation was already printed.
std::optional<job::Verdict> verdict_of(Context& context, const std::string& name) {
  const auto of_job = [&](const std::string& job) {
    return where_it_runs(context, job, job::why(context.client(), context.place().namespace_name, job));
  };
  const auto of_run = [&](const std::string& job) -> std::optional<job::Verdict> {
    try {
      if (!job.empty()) return of_job(job);
    } catch (const Error& error) {
      if (error.reason != "NotFound") throw;
      context.note("its job " + job + " does not exist");
    }
    return std::nullopt;
  };
  const std::string job = resolved_name(context, name);
  const auto ahead = ask_ahead_about(context, {job});
  try {
    return of_job(job);
  } catch (Error& error) {
    if (error.reason != "NotFound") throw;
    if (is_shown_run(context, name)) return of_run(job_that_holds_up(context, pipeline::read_run(name)));
    const auto there = find_cluster_run(context, name);
    if (!there && (explain_schedule(context, name) || explain_served(context, name))) return std::nullopt;
    if (!there) {
      explain_missing(context, name, error);
      throw;
    }
    return of_run(job_of_run_there(context, *there));
  }
}

int run_why(Context& context, const WhyOptions& options) {
  std::optional<job::Verdict> found = verdict_of(context, options.names[0]);
  if (!found) return 0;
  job::Verdict& verdict = *found;
  const std::optional<job::FirstError> first = last_words(context, verdict);
  job::explain_by_log(first, std::filesystem::current_path(), verdict);
  for (job::Cause& cause : verdict.causes)
    for (job::Remedy& remedy : cause.remedies)
      remedy.command = for_its_server(context, verdict, remedy.command);
  if (options.output.empty())
    ui::print_verdict(context.streams(), verdict, first);
  else
    ui::print_value(context.streams(), ui::to_json(verdict, first), options.output);
  return 0;
}

/// Consecutive causes in the enum that help lists under one title.
struct CauseGroup {
  job::CauseCode first;
  const char* title;
};

constexpr CauseGroup kCauseGroups[] = {{job::CauseCode::suspended, "CAUSES: SUSPENDED, OR IN A QUEUE"},
                                       {job::CauseCode::controller_missing, "CAUSES: BEFORE ITS PODS EXIST"},
                                       {job::CauseCode::scheduling_gate, "CAUSES: NO NODE FOR ITS PODS"},
                                       {job::CauseCode::image_name_invalid, "CAUSES: ON A NODE"},
                                       {job::CauseCode::preempted, "CAUSES: STOPPED OR STOPPING"},
                                       {job::CauseCode::running, "CAUSES: RUNNING OR FINISHED"}};

std::string shown_outlook(job::Outlook outlook) {
  switch (outlook) {
    case job::Outlook::none: return "";
    case job::Outlook::starting: return " [starting]";
    case job::Outlook::waits: return " [waiting]";
    case job::Outlook::never: return " [needs a change]";
    case job::Outlook::failed: return " [failed]";
  }
  return "";
}

std::vector<Definitions> definitions_of_causes() {
  std::vector<Definitions> groups;
  for (const job::CauseInfo& cause : job::cause_infos()) {
    for (const CauseGroup& group : kCauseGroups)
      if (group.first == cause.code) groups.push_back({group.title, {}});
    groups.back().entries.emplace_back(cause.text, std::string(cause.meaning) + shown_outlook(cause.outlook));
  }
  groups.front().intro =
      "These are the codes in .cause.code of -o json. [waiting] means that the job can start without your "
      "help, and [starting] that it is about to run. [needs a change] means that the job cannot start until "
      "you or an administrator changes something. [failed] means that the job has failed. A code without a "
      "mark means that the job runs, has succeeded, or was cancelled.";
  return groups;
}

}  // namespace

Command why_command() {
  auto options = std::make_shared<WhyOptions>();
  Command command{"why", "Explain why a job does not run, or why it failed, and how to fix it"};
  command.description =
      R"(kml checks everything that a job depends on, from its Kueue queue and its namespace's quota to nodes, volumes,
images and containers. kml gives one answer, with the cause to solve first, which resource is missing and who holds it,
whether a higher priority could help, and which command to run next. The answer says whether the job
waits, or cannot start until something changes.
If a container failed, kml shows its last lines. If you may not read some objects, kml lists them and checks the
rest.)";
  command.definitions = definitions_of_causes;
  command.examples = R"(kml why bert
# Task 3 of the array job arr
kml why arr-3
# The cause as a code; `man kml-why` lists all codes
kml why bert -o json | jq -r .cause.code)";
  command.takes("JOB", options->names,
                "name of a job, pipeline run, schedule or served program; @ is your newest job", 1, 1);
  add_output_format(command, {"json", "yaml"}, options->output, "print the complete answer in this format")
      .details("Print the complete answer in this format.");
  command.run = [options](Context& context) { return run_why(context, *options); };
  return command;
}

}  // namespace kml::cli
