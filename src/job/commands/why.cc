#include "kml/job/why/why.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/explained.h"
#include "job/commands/named_job.h"
#include "job/commands/worker_cluster.h"
#include "job/first_error/explain_by_log.h"
#include "job/tables/reports.h"
#include "kml/base/text.h"
#include "kml/job/first_error/first_error.h"
#include "kml/job/why/cause.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/why_run.h"
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

job::Verdict verdict_of_job(Context& context, const std::string& job) {
  return where_it_runs(context, job, job::why(context.client(), context.place().namespace_name, job));
}

/// The command with the flags that select its server. A command about a job other than the verdict's applies
/// to the cluster in which kml looked up the verdict, which may be a worker cluster.
std::string for_its_server(Context& context, const job::Verdict& verdict, const std::string& command) {
  GlobalOptions target = context.options();
  if (context.has_entered() && !contains(command, " " + verdict.job.name))
    target.context = context.place().context;
  return for_same_target(target, command);
}

using WhyAnswer = std::variant<job::Verdict, Explained>;

WhyAnswer about_run(Context& context, const HeldRun& held) {
  if (held.job.empty()) return held.explained;
  try {
    return verdict_of_job(context, held.job);
  } catch (const Error& error) {
    if (error.reason != "NotFound") throw;
    context.note("its job " + held.job + " does not exist");
    Explained without_job = held.explained;
    job::Cause& cause = without_job.verdict.causes[0];
    cause.object = "job " + held.job;
    cause.message = "its job " + held.job + " does not exist";
    return without_job;
  }
}

/// Looks for a job with the name first, because most names are names of jobs. A run in the cluster has no job
/// with its own name.
WhyAnswer answer_about(Context& context, const std::string& name) {
  const std::string job = resolved_name(context, name);
  const auto ahead = ask_ahead_about(context, {job});
  try {
    return verdict_of_job(context, job);
  } catch (Error& error) {
    if (error.reason != "NotFound") throw;
    if (const auto held = explain_run(context, name)) return about_run(context, *held);
    if (auto schedule = explain_schedule(context, name)) return *std::move(schedule);
    if (auto served = explain_served(context, name)) return *std::move(served);
    explain_missing(context, name, error);
    throw;
  }
}

/// Completes the commands of all remedies.
void choose_target(Context& context, job::Verdict& verdict) {
  for (job::Cause& cause : verdict.causes)
    for (job::Remedy& remedy : cause.remedies)
      remedy.command = for_its_server(context, verdict, remedy.command);
}

int run_why(Context& context, const WhyOptions& options) {
  WhyAnswer answer = answer_about(context, options.names[0]);
  if (auto* other = std::get_if<Explained>(&answer)) {
    choose_target(context, other->verdict);
    print_explained(context, *other, options.output);
    return 0;
  }
  job::Verdict& verdict = std::get<job::Verdict>(answer);
  const std::optional<job::FirstError> first = last_words(context, verdict);
  job::explain_by_log(first, std::filesystem::current_path(), verdict);
  choose_target(context, verdict);
  if (options.output.empty())
    ui::print_verdict(context.streams(), verdict, first);
  else
    ui::print_value(context.streams(), ui::to_json(verdict, first), options.output);
  return 0;
}

/// A group of causes that help lists under one title. They are consecutive in the enum.
struct CauseGroup {
  job::CauseCode first;
  const char* title;
};

constexpr CauseGroup kCauseGroups[] = {{job::CauseCode::not_due, "CAUSES: SUSPENDED, OR IN A QUEUE"},
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
      "mark means that the job runs, has succeeded, was cancelled, or is idle. A mark is the usual one; "
      ".cause.outlook says what is true of a job. Schedules, served programs and runs have some of these "
      "codes, too.";
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
will start by itself, or only after you or someone else has changed something.
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
