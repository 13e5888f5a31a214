#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::api {

// A batch/v1 CronJob.

/// The label in which kml stores the name of a Job's CronJob.
inline constexpr std::string_view kSchedule = "kml.dev/schedule";
/// The annotation of a Job with the time for which its CronJob scheduled it.
inline constexpr std::string_view kScheduledTime = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/// The annotation of a Job that a person created from a CronJob; its value is "manual".
inline constexpr std::string_view kStartedByHand = "cronjob.kubernetes.io/instantiate";

/// The annotation that kml sets on a CronJob that starts a single Job: the time of that start (RFC 3339).
inline constexpr std::string_view kStartAt = "kml.dev/start-at";

/// The labels, annotations and spec of the CronJob's Jobs.
inline const Json& job_template_of(const Json& cron_job) {
  return object_at(cron_job, {"spec", "jobTemplate"});
}
inline std::string schedule_of(const Json& cron_job) {
  return string_at(cron_job, {"spec", "schedule"});
}
/// The name of the CronJob's time zone; empty if the schedule follows the controller's clock.
inline std::string zone_name_of(const Json& cron_job) {
  return string_at(cron_job, {"spec", "timeZone"});
}
/// The references to the CronJob's running Jobs.
inline const Json& active_jobs_of(const Json& cron_job) {
  return array_at(cron_job, {"status", "active"});
}
/// The time at which the CronJob starts its only Job; empty if it starts Jobs repeatedly.
std::optional<Time> single_start_of(const Json& cron_job);
/// The time after which the CronJob's next start is due: the last scheduled time, or the time of its
/// creation.
Time last_scheduled(const Json& cron_job);

/// Makes a Job from the template of a CronJob, which must be a stored object and will own the Job. The owner
/// reference does not have blockOwnerDeletion, because a user may need more rights for that.
Json new_job_of(const Json& cron_job, std::string name);

}  // namespace kml::api
