#include "kml/job/submit/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "job/submit/job_name.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/made_name.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr const char* kInsteadOfSchedule =
    "use -t job; or run this kml submit from cron or systemd, on a machine that is always on";

void require_single_job(const std::vector<Json>& objects) {
  for (const Json& object : objects)
    if (!is_plain_job(object) && objects.size() == 1)
      throw usage_error("--cron, --every and --at cannot start a " + shown_kind(object),
                        "a CronJob can create only Jobs", kInsteadOfSchedule);
  if (objects.size() == 1) return;
  std::vector<std::string> names;
  for (const Json& object : objects) names.push_back(api::kind_name(object) + " " + api::name_of(object));
  throw usage_error("--cron, --every and --at cannot start several objects: " + join(names, ", "),
                    "a CronJob creates one Job at each start", kInsteadOfSchedule);
}

}  // namespace

void put_on_schedule(SubmitPlan& plan, const spec::Timetable& timetable) {
  require_single_job(plan.objects);
  const Json job = std::move(plan.objects[0]);
  const std::string name = api::name_of(job);
  api::require_made_name(
      "the schedule", name,
      {.longest = 52,
       .reason = "a job's name is the schedule's name followed by the minute of the job's start"});
  Json template_metadata = {{"labels", api::labels_of(job)}, {"annotations", api::annotations_of(job)}};
  template_metadata["labels"][std::string(api::kSchedule)] = name;
  Json metadata = api::metadata_of(job);
  if (timetable.once) metadata["annotations"][std::string(api::kStartAt)] = rfc3339(*timetable.once);
  plan.objects[0] = {
      {"apiVersion", "batch/v1"},
      {"kind", "CronJob"},
      {"metadata", std::move(metadata)},
      {"spec",
       {{"schedule", timetable.cron},
        {"timeZone", timetable.zone},
        {"concurrencyPolicy", "Forbid"},
        {"successfulJobsHistoryLimit", 3},
        {"failedJobsHistoryLimit", 3},
        {"jobTemplate", {{"metadata", std::move(template_metadata)}, {"spec", api::spec_of(job)}}}}}};
  check_job_names(plan.objects);
  Json& spec = plan.objects[0]["spec"];
  if (timetable.once)
    spec["suspend"] = true;  // until allow_single_start()
  else  // A start that is late by more than an hour is left out, for example after the cluster was down.
    spec["startingDeadlineSeconds"] = 3600;
}

}  // namespace kml::job
