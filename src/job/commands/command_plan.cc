#include "job/commands/command_plan.h"
#include "job/submit/host_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/output_format.h"
#include "job/commands/applied_plan.h"
#include "job/commands/send.h"
#include "job/commands/test_only.h"
#include "job/submit/hidden_files.h"
#include "job/submit/secret_env.h"
#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/submit/create.h"
#include "kml/job/submit/marks.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

std::string planned_hours_text(const job::PlannedJob& job) {
  if (job.no_limit) return "the GPU hours are unlimited: " + job.no_limit->why;
  const std::optional<double>& hours = job.gpu_hours;
  if (!hours) return "no time limit, so the GPU hours are unlimited";
  // rounded up, because it is a bound
  const double step = *hours > 0 ? std::pow(10, std::floor(std::log10(*hours)) - 3) : 1;
  return fmt::format("at most {:.4g} GPU hours", std::ceil(*hours / step * (1 - 1e-9)) * step);
}

/// "2 pods, 8 GPUs, at most 16 GPU hours"
std::string size_in_words(const job::PlannedJob& job) {
  if (job.is_size_unknown) return "pods and GPUs unknown";
  std::string pods = fmt::format("{} pod{}", job.pods, job.pods == 1 ? "" : "s");
  if (job.gpus == 0) return pods;
  return fmt::format("{}, {} GPU{}, {}", pods, job.gpus, job.gpus == 1 ? "" : "s", planned_hours_text(job));
}

void print_plan_in_brief(Context& context, const job::PlanFile& plan, const std::string& path) {
  std::ostream& out = context.streams().out;
  out << "plan " << plan.id << "\n";
  for (const job::PlannedJob& job : plan.jobs) {
    out << "  " << (job::has_only_jobs(plan) ? "job" : lower(job.kind)) << " " << job.name << ": "
        << size_in_words(job) << "\n";
  }
  for (const std::string& holder : plan.other_holders) out << "  " << holder << ": not counted\n";
  for (const std::string& outlook : plan.outlooks) out << "  " << outlook << "\n";
  out << "  kml apply " << shell_quoted({&path, 1}) << "\n" << std::flush;
}

/// The line that was typed.
std::string typed_line(Context& context) {
  const std::vector<std::string>& words = context.options().arguments;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const std::string& typed = context.options().typed;
  return dashes == words.end() ? typed : typed + " -- " + shell_quoted({dashes + 1, words.end()});
}

/// The words of the command line, without those that ask for a plan.
std::vector<std::string> words_to_run(Context& context) {
  std::vector<std::string> words;
  const std::vector<std::string>& typed = context.options().arguments;
  const auto dashes = std::find(typed.begin(), typed.end(), "--");
  bool is_value = false;
  for (auto word = typed.begin(); word != dashes; ++word) {
    if (!is_value && !word->starts_with("--plan") && !word->starts_with("-o") &&
        !word->starts_with("--output"))
      words.push_back(*word);
    is_value = *word == "--plan" || *word == "-o" || *word == "--output";
  }
  words.insert(words.end(), dashes, typed.end());
  return words;
}

}  // namespace

void add_plan_flag(Command& command, std::string& file) {
  command
      .option("--plan", "FILE", file, "start nothing; write what would start, for `kml apply` after a review")
      .details(
          "Start nothing. Run the checks, and write a plan that says what would start, and how many GPUs and "
          "GPU hours it would use. `kml apply FILE` starts what the plan describes, once.");
}

void add_plan_flags(Command& command, PlanFlags& flags) {
  add_plan_flag(command, flags.file);
  add_output_format(command, {"json", "yaml"}, flags.output, "with --plan: print the plan in this format")
      .details("With --plan, print the plan in this format.");
}

std::optional<job::PlanFile> plan_to_apply(Context& context) {
  const std::string& file = context.options().applied_plan;
  return file.empty() ? std::nullopt : std::optional(job::read_plan_file(file));
}

job::PlanFile empty_plan(Context& context, const std::string& command) {
  job::PlanFile plan;
  plan.command = command;
  plan.context = context.place().context;
  plan.namespace_name = context.place().namespace_name;
  plan.server = job::server_of_plan(context.target().endpoint.url, context.place().is_local);
  plan.request = {{"words", words_to_run(context)}};
  return plan;
}

Draft draft_of(Context& context, const std::string& command, const PlanWithKey& plan_with) {
  Draft made{empty_plan(context, command), {}};
  job::PlanFile& file = made.file;
  const job::SubmitPlan unnamed = plan_with(std::string(job::kKeyOfUnnamedPlan));
  refuse_plain_secrets(unnamed.objects);
  file.id = job::plan_id(file.server, file.namespace_name, job::reviewed_objects(unnamed));
  made.plan = plan_with(file.id);
  file.objects = job::reviewed_objects(made.plan);
  file.jobs = job::planned_jobs(file.objects);
  file.other_holders = job::other_holders(file.objects);
  return made;
}

int write_draft(Context& context, Draft draft, const PlanFlags& flags) {
  context.tell_target();
  job::Rehearsal rehearsal;
  if (const AppliedPlan applied = applied_plan(context, draft.file); !applied.objects.empty()) {
    rehearsal.outlooks.push_back("the plan was applied " + applied.when);
  } else {
    // A job in a queue gets its priority and topology levels from Kueue. The checks need them, but the plan
    // must not depend on them.
    use_names_of_queues(context, draft.plan);
    rehearsal = checked(context, draft.plan);
  }
  draft.file.outlooks = rehearsal.outlooks;
  draft.file.unknown = rehearsal.unknown;
  draft.file.notes = draft.plan.notes;
  return write_plan_file(context, std::move(draft.file), flags);
}

int write_plan_file(Context& context, job::PlanFile plan, const PlanFlags& flags) {
  plan.made = system_clock().now();
  plan.user = job::user_name();
  plan.submit = typed_line(context);
  if (job::leaves_out_hidden_files()) plan.request[job::kOfAgent] = true;
  const Json data = job::to_json(plan);
  const std::string text = json_text(data, 2) + "\n";
  if (flags.file == "-") {
    context.streams().out << text << std::flush;
    return 0;
  }
  write_file_atomically(flags.file, text);
  if (ui::is_data(flags.output))
    ui::print_value(context.streams(), data, flags.output);
  else
    print_plan_in_brief(context, plan, flags.file);
  return 0;
}

void refuse_plain_secrets(const std::vector<Json>& objects) {
  job::require_agents_host_paths(objects);
  for (Json object : objects) {
    const Json before = object;
    job::take_out_secrets(object);
    if (object != before)
      throw usage_error("a variable of " + job::described(object) + " looks like a secret",
                        "everyone who reads the plan would see its value",
                        "export it, and submit with --secret NAME instead of --env");
  }
}

void require_unchanged(const job::PlanFile& planned, const job::PlanFile& now) {
  const std::string command = planned.command == "sweep" ? "sweep run" : planned.command;
  const auto changed = [&](const std::string& what) {
    return usage_error("the plan is out of date: the command would now do something else", what,
                       "make a new plan: kml " + command + " --plan FILE …");
  };
  if (now.server != planned.server)
    throw changed("it was made for server " + planned.server + ", but the context is for " + now.server);
  if (now.namespace_name != planned.namespace_name)
    throw changed("it was made for namespace " + planned.namespace_name);
  if (const std::string what = job::changed_since(planned.objects, now.objects); !what.empty())
    throw changed(what);
  if (now.id != planned.id) throw changed("its id does not match its objects");
}

}  // namespace kml::cli
