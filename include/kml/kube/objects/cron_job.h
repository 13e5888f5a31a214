#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::api {

// A batch/v1 CronJob.

/// Label that kml sets on a Job: the name of its CronJob.
inline constexpr std::string_view kSchedule = "kml.dev/schedule";
/// Annotation of a Job: the time for which its CronJob scheduled it.
inline constexpr std::string_view kScheduledTime = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/// Annotation of a Job that a person created from a CronJob; the value is "manual".
inline constexpr std::string_view kStartedByHand = "cronjob.kubernetes.io/instantiate";

/// Annotation that kml sets on a CronJob that starts a single Job: its time (RFC 3339).
inline constexpr std::string_view kStartAt = "kml.dev/start-at";

/// The labels, annotations and spec of its Jobs.
inline const Json& job_template_of(const Json& cron_job) {
  return object_at(cron_job, {"spec", "jobTemplate"});
}
inline std::string schedule_of(const Json& cron_job) {
  return string_at(cron_job, {"spec", "schedule"});
}
/// The name of its time zone; empty if the schedule follows the controller's clock.
inline std::string zone_name_of(const Json& cron_job) {
  return string_at(cron_job, {"spec", "timeZone"});
}
/// The references to its running Jobs.
inline const Json& active_jobs_of(const Json& cron_job) {
  return array_at(cron_job, {"status", "active"});
}
/// The time of its only start; empty if it starts Jobs again and again.
std::optional<Time> single_start_of(const Json& cron_job);
/// The time after which its next start is due: the last scheduled one, otherwise its creation.
Time last_scheduled(const Json& cron_job);

/// A Job from its template, which belongs to the CronJob, a stored object. The reference to it does not have
/// blockOwnerDeletion, because a user may need more rights for that.
Json new_job_of(const Json& cron_job, std::string name);

}  // namespace kml::api
