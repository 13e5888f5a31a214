#include "pipeline/commands/run_schedule.h"

#include <utility>

#include "job/commands/send.h"
#include "job/commands/submit_request.h"
#include "job/commands/submit_schedule.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/job/submit/schedule.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/made_name.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::cli {

namespace {

constexpr const char* kRunOfJob = "KML_RUN_OF_JOB";

/// Settings with this kml's folders for state and configuration, because the server may have been started
/// with different ones.
std::vector<spec::Setting> settings_of(const std::string& name) {
  const spec::Origin origin = {spec::Source::flag, "kml"};
  std::vector<spec::Setting> settings = {{"name", name, origin},
                                         {"chdir", std::filesystem::current_path().string(), origin}};
  for (const char* variable : {"KML_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    if (const std::string value = environment(variable); !value.empty())
      settings.push_back({"env", std::string(variable) + "=" + value, origin});
  return settings;
}

/// The plan for a job that runs this kml program.
job::SubmitPlan plan_of(Context& context, const std::string& name, std::vector<std::string> command) {
  job::SubmitRequest request;
  request.settings = settings_of(name);
  request.command = std::move(command);
  request.command.insert(request.command.end(),
                         {"--context", "local", "--namespace", context.place().namespace_name});
  request.namespace_name = context.place().namespace_name;
  request.is_local = true;
  return cli::plan(context, request, "");
}

}  // namespace

void tell_job_name(Json& job) {
  const std::string path = "metadata.labels['" + std::string(api::kJobName) + "']";
  job::each_pod_template(job, [&](Json& pod, int) {
    for (Json& container : pod["spec"]["containers"])
      container["env"].push_back({{"name", kRunOfJob}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}});
  });
}

void require_short_name(const std::string& name) {
  api::require_made_name("the schedule of runs", name,
                         {.longest = 37,
                          .reason = "kml adds the minute of the start to the name of each run, and then the "
                                    "step's name to the name of each job"});
}

int schedule_own_command(Context& context, const std::string& name, std::vector<std::string> words,
                         const spec::Timetable& timetable) {
  words.insert(words.begin(), own_executable().string());
  const auto make_plan = [&] {
    job::SubmitPlan plan = plan_of(context, name, words);
    if (words[1] == "run")
      for (Json& job : plan.objects) tell_job_name(job);
    job::put_on_schedule(plan, timetable);
    return plan;
  };
  return send(context, make_plan, {},
              [&](const std::vector<Json>& made) { report_first_start(context, made); });
}

Json own_command_job(Context& context, const std::string& name, std::vector<std::string> command) {
  return plan_of(context, name, std::move(command)).objects.at(0);
}

int schedule_run(Context& context, const ScheduledRun& run, const spec::Timetable& timetable) {
  require_short_name(run.name);
  std::vector<std::string> words = {"run", run.file.string()};
  words.insert(words.end(), run.flags.begin(), run.flags.end());
  return schedule_own_command(context, run.name, std::move(words), timetable);
}

std::optional<StartOfSchedule> start_of_schedule(Context& context) {
  const std::string name = environment(kRunOfJob);
  if (name.empty()) return {};
  const auto job = context.client().get_if_exists(*api::find_kind("batch/v1", "Job"),
                                                  context.place().namespace_name, name);
  if (!job) return {};
  const Json* owner = api::controller_of(*job);
  return StartOfSchedule{name, owner ? api::entry_name(*owner) : "", *job,
                         parse_rfc3339(api::annotation_of(*job, api::kScheduledTime))};
}

}  // namespace kml::cli
