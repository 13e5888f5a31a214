#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/base/time_zone.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/cron_schedule.h"
#include "kml/kube/objects/object.h"
#include "local/admission/job_rules.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

namespace {

// k8s.io/kubernetes/pkg/apis/batch/v1/defaults.go and pkg/apis/batch/validation/validation.go

void set_cron_job_defaults(Json& cron_job) {
  set_default(cron_job, "spec", Json::object());
  Json& spec = cron_job["spec"];
  set_default(spec, "concurrencyPolicy", "Allow");
  set_default(spec, "suspend", false);
  set_default(spec, "successfulJobsHistoryLimit", 3);
  set_default(spec, "failedJobsHistoryLimit", 1);
  // Only the defaults of the pod template are set here. The Job's other fields get their defaults when the
  // Job is created.
  Json& pod_template = spec["jobTemplate"]["spec"]["template"];
  set_default(pod_template, "spec", Json::object());
  default_pod_spec(pod_template["spec"]);
}

void validate_schedule(const Json& cron_job, FieldErrors& errors) {
  const std::string path = "spec.schedule", schedule = string_at(cron_job, {"spec", "schedule"});
  if (schedule.empty()) return errors.required(path);
  if (contains(schedule, "TZ"))
    return errors.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  try {
    api::parse_cron(schedule);
  } catch (const Error& error) {
    errors.invalid(path, schedule, error.message);
  }
}

void validate_time_zone(const Json& cron_job, FieldErrors& errors) {
  const Json* zone = find(cron_job, {"spec", "timeZone"});
  if (!zone) return;
  const std::string path = "spec.timeZone", name = zone->get<std::string>();
  if (name.empty())
    errors.invalid(path, name, "timeZone must be nil or non-empty string");
  else if (lower(name) == "local")
    errors.invalid(path, name,
                   "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  else if (!TimeZone::find(name))
    errors.invalid(path, name, "unknown time zone " + name);
}

/// Checks the job template as if it were a Job.
void validate_job_template(const Json& cron_job, FieldErrors& errors) {
  Json job = api::job_template_of(cron_job);
  set_job_defaults(job);
  FieldErrors of_job;
  validate_job_spec(job, of_job);
  if (const Json* selector = kml::find(job, {"spec", "selector"}))
    of_job.invalid("spec.selector", *selector, "`selector` will be auto-generated");
  if (bool_at(job, {"spec", "manualSelector"}))
    of_job.not_supported("spec.manualSelector", true, "\"nil\", \"false\"");
  errors.add_all(of_job, "spec.jobTemplate");
}

void validate_cron_job(const Json& cron_job, FieldErrors& errors) {
  const Json& spec = api::spec_of(cron_job);
  validate_schedule(cron_job, errors);
  validate_time_zone(cron_job, errors);
  errors.require_one_of("spec.concurrencyPolicy", spec.value("concurrencyPolicy", Json()),
                        {"Allow", "Forbid", "Replace"});
  for (const char* field :
       {"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"})
    require_not_negative(spec, field, "spec", errors);
  validate_job_template(cron_job, errors);
}

}  // namespace

const KindRules kCronJobRules{set_cron_job_defaults, validate_cron_job,
                              [](const Json&, const Json&, FieldErrors&) {}};

}  // namespace kml::local
