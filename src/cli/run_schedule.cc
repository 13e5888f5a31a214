#include "cli/run_schedule.h"

#include <utility>

#include "cli/send.h"
#include "cli/submit_request.h"
#include "cli/submit_schedule.h"
#include "kml/api/cron_job.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/api/resource.h"
#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/process.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/schedule.h"
#include "kml/jobs/views/kinds.h"

namespace kml::cli {

namespace {

constexpr const char* kRunOfJob = "KML_RUN_OF_JOB";

std::vector<std::string> command_of(Context& context, const ScheduledRun& run) {
  std::vector<std::string> command = {own_executable().string(), "run", run.file.string()};
  command.insert(command.end(), run.flags.begin(), run.flags.end());
  command.insert(command.end(), {"--context", "local", "--namespace", context.place().namespace_name});
  return command;
}

/// The folders of this kml's state and configuration, because the server may have been started with others.
std::vector<spec::Setting> settings_of(const ScheduledRun& run) {
  const spec::Origin origin = {spec::Source::flag, "kml run"};
  std::vector<spec::Setting> settings = {{"name", run.name, origin},
                                         {"chdir", std::filesystem::current_path().string(), origin}};
  for (const char* name : {"KML_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"})
    if (const std::string value = environment(name); !value.empty())
      settings.push_back({"env", std::string(name) + "=" + value, origin});
  return settings;
}

void tell_job_name(Json& job) {
  const std::string path = "metadata.labels['" + std::string(api::kJobName) + "']";
  jobs::each_pod_template(job, [&](Json& pod, int) {
    for (Json& container : pod["spec"]["containers"])
      container["env"].push_back({{"name", kRunOfJob}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}});
  });
}

}  // namespace

int schedule_run(Context& context, const ScheduledRun& run, const spec::Timetable& timetable) {
  if (!context.place().is_local)
    throw usage_error("kml run --cron and --every work only on this machine",
                      "a pod of the cluster has neither these files nor kml",
                      "submit it with an image that has kml and may create jobs: kml submit --cron '" +
                          timetable.cron + "' --image IMAGE --service-account NAME --code . -- kml run " +
                          run.file.filename().string() + " --store pvc/NAME");
  // A run's name adds the minute of its start to this name, and a job's name also adds its step.
  constexpr size_t kLongestName = 37;
  if (run.name.size() > kLongestName)
    throw usage_error("the name \"" + run.name + "\" is too long for a schedule of runs",
                      "it may have at most " + std::to_string(kLongestName) + " characters",
                      "choose a shorter one with --name");
  const auto make_plan = [&] {
    jobs::SubmitRequest request;
    request.settings = settings_of(run);
    request.command = command_of(context, run);
    request.namespace_name = context.place().namespace_name;
    request.is_local = true;
    jobs::SubmitPlan plan = cli::plan(context, request, "");
    for (Json& job : plan.objects) tell_job_name(job);
    put_on_schedule(plan, timetable);
    return plan;
  };
  return send(context, make_plan, {},
              [&](const std::vector<Json>& made) { report_first_start(context, made); });
}

std::optional<StartOfSchedule> start_of_schedule(Context& context) {
  const std::string name = environment(kRunOfJob);
  if (name.empty()) return {};
  const auto job = context.client().get_if_exists(*api::find_kind("batch/v1", "Job"),
                                                  context.place().namespace_name, name);
  if (!job) return {};
  return StartOfSchedule{name,
                         parse_rfc3339(string_at(*job, {"metadata", "annotations", api::kScheduledTime}))};
}

}  // namespace kml::cli
