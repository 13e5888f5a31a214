#include "job/commands/submit_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <ostream>
#include <vector>

#include "job/commands/applied_plan.h"
#include "job/commands/test_only.h"
#include "job/submit/queue_priority.h"
#include "job/submit/secret_env.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/spec/trust.h"
#include "kml/job/submit/marks.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

/// The flags as data. Defaults from kml.yaml and variables are left out: they are read again.
Json request_of(const SubmitFlags& flags) {
  Json settings = Json::array(), unknown = Json::array();
  for (const spec::Setting& setting : flags.settings) settings.push_back({setting.name, setting.value});
  for (const UnknownFlag& flag : flags.unknown) unknown.push_back({flag.name, or_null(flag.value)});
  return {
      {"settings", settings}, {"files", flags.files}, {"parameters", unknown}, {"command", flags.command}};
}

std::vector<std::string> texts_in(const Json& request, const char* name) {
  std::vector<std::string> texts;
  for (const Json& text : array_at(request, {name}))
    if (text.is_string()) texts.push_back(text);
  return texts;
}

SubmitFlags flags_of(const Json& request) {
  SubmitFlags flags;
  const auto text = [](const Json& pair, size_t i) {
    return pair.is_array() && pair.size() == 2 && pair[i].is_string() ? pair[i].get<std::string>() : "";
  };
  for (const Json& pair : array_at(request, {"settings"}))
    flags.settings.push_back({text(pair, 0), text(pair, 1), {spec::Source::flag, "--" + text(pair, 0)}});
  for (const Json& pair : array_at(request, {"parameters"}))
    flags.unknown.push_back(
        {text(pair, 0), pair[1].is_string() ? std::optional(text(pair, 1)) : std::nullopt, ""});
  flags.files = texts_in(request, "files");
  flags.command = texts_in(request, "command");
  return flags;
}

/// Throws a usage Error if a flag reads standard input, because `kml apply` could not read it again.
void refuse_standard_input(const SubmitFlags& flags) {
  const bool is_secret = std::any_of(flags.settings.begin(), flags.settings.end(), [](const auto& setting) {
    return setting.name == "secret" && setting.value.ends_with("=-");
  });
  if (is_secret || std::find(flags.files.begin(), flags.files.end(), "-") != flags.files.end())
    throw usage_error("a plan cannot use standard input", "`kml apply` could not read it again",
                      is_secret ? "--secret NAME=FILE, or export the variable" : "-f FILE");
}

/// Throws usage Error for a variable whose value looks like a secret, because everyone who reviews the plan
/// would see it.
void refuse_plain_secrets(const std::vector<Json>& objects) {
  for (Json object : objects) {
    const Json before = object;
    job::take_out_secrets(object);
    if (object != before)
      throw usage_error("a variable of " + job::described(object) + " looks like a secret",
                        "everyone who reads the plan would see its value",
                        "export it, and submit with --secret NAME instead of --env");
  }
}

/// The plan for this submit, with this idempotency key. All plans have the same submit-id.
job::SubmitPlan planned_with(job::SubmitRequest request, const std::string& key) {
  request.key = key;
  request.submit_id = job::kPlannedSubmitId;
  return job::plan_submit(request, std::cin);
}

/// A plan of the flags, without the results of the checks.
struct Draft {
  job::PlanFile file;
  job::SubmitRequest request;
  job::SubmitPlan plan;
};

Draft draft(Context& context, const SubmitFlags& flags) {
  refuse_standard_input(flags);
  Draft made{.file = {}, .request = submit_request(context, flags), .plan = {}};
  job::PlanFile& file = made.file;
  file.context = context.place().context;
  file.namespace_name = context.place().namespace_name;
  file.server = job::server_of_plan(context.target().endpoint.url, context.place().is_local);
  const job::SubmitPlan unnamed = planned_with(made.request, std::string(job::kKeyOfUnnamedPlan));
  refuse_plain_secrets(unnamed.objects);
  file.id = job::plan_id(file.server, file.namespace_name, job::reviewed_objects(unnamed));
  made.plan = planned_with(made.request, file.id);
  file.objects = job::reviewed_objects(made.plan);
  return made;
}

std::string hours_text(const std::optional<double>& hours) {
  return hours ? fmt::format("at most {:.4g} GPU hours", *hours)
               : "no time limit, so any number of GPU hours";
}

void print_plan_in_brief(Context& context, const job::PlanFile& file, const std::string& path) {
  std::ostream& out = context.streams().out;
  out << "plan " << file.id << "\n";
  for (const job::PlannedJob& job : job::planned_jobs(file.objects)) {
    out << "  job " << job.name << ": " << job.pods << (job.pods == 1 ? " pod" : " pods");
    if (job.gpus > 0)
      out << ", " << job.gpus << (job.gpus == 1 ? " GPU" : " GPUs") << ", " << hours_text(job.gpu_hours);
    out << "\n";
  }
  for (const std::string& outlook : file.outlooks) out << "  " << outlook << "\n";
  out << "  kml apply " << shell_quoted({&path, 1}) << "\n" << std::flush;
}

}  // namespace

int write_plan(Context& context, const SubmitFlags& flags, const std::string& path,
               const std::string& output) {
  Draft drafted = draft(context, flags);
  context.tell_target();
  job::PlanFile& file = drafted.file;
  job::Rehearsal rehearsal;
  if (const AppliedPlan applied = applied_plan(context, file); !applied.objects.empty()) {
    rehearsal.outlooks.push_back("the plan was applied " + applied.when);
  } else {
    // Kueue sets the priority of a job in a queue: the checks need it, but the plan must not depend on it.
    if (!context.place().is_local) job::use_queue_priorities(context.client(), drafted.plan.objects);
    rehearsal = checked(context, drafted.plan);
  }
  file.made = system_clock().now();
  file.user = job::user_name();
  file.submit = context.options().typed;
  if (!flags.command.empty()) file.submit += " -- " + shell_quoted(flags.command);
  file.request = request_of(flags);
  file.outlooks = rehearsal.outlooks;
  file.unknown = rehearsal.unknown;
  file.notes = drafted.plan.notes;
  const Json data = job::to_json(file);
  const std::string text = json_text(data, 2) + "\n";
  if (path == "-") {
    context.streams().out << text << std::flush;
    return 0;
  }
  write_file_atomically(path, text);
  if (ui::is_data(output))
    ui::print_value(context.streams(), data, output);
  else
    print_plan_in_brief(context, file, path);
  return 0;
}

job::SubmitPlan plan_again(Context& context, const job::PlanFile& file) {
  const SubmitFlags flags = flags_of(file.request);
  Draft now = draft(context, flags);
  const auto changed = [](const std::string& what) {
    return usage_error("the plan is out of date: it would now do something else", what,
                       "make a new plan: kml submit --plan FILE …");
  };
  if (now.file.server != file.server)
    throw changed("it was made for server " + file.server + ", but the context is for " + now.file.server);
  if (now.file.namespace_name != file.namespace_name)
    throw changed("it was made for namespace " + file.namespace_name);
  if (const std::string what = job::changed_since(file.objects, now.file.objects); !what.empty())
    throw changed(what);
  if (now.file.id != file.id) throw changed("its id does not match its objects");
  now.request.key = file.id;
  return plan(context, now.request, join(flags.files, ", "));
}

}  // namespace kml::cli
