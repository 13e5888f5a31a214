#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A schedule, which is a CronJob, in the form that kml shows.
struct ScheduleView {
  std::string name, namespace_name;
  std::string cron;
  /// the time zone; empty if the CronJob has none, because the cluster's controller then uses its clock's
  /// zone
  std::string zone;
  std::optional<Time> once = {};  ///< the start time, if the schedule has only one start
  bool is_paused = false;
  /// the next start; empty if the schedule is paused or over, or if kml does not know its zone
  std::optional<Time> next;
  std::optional<Time> last;   ///< when the newest remaining job was created, on time or by hand; if no job
                              ///< remains, when the schedule last started one on time
  std::string last_job = {};  ///< the schedule's newest job; empty if none of its jobs remains
  std::optional<State> result = {};
  /// whether the schedule's last job was a pipeline run in which all steps were cached
  bool ran_nothing = false;
  size_t active = 0;  ///< how many of the schedule's jobs have not ended
};

/// `jobs` are all jobs in the schedule's namespace. `is_local` means that the schedule is on the embedded
/// server, which uses this machine's clock.
ScheduleView view_of_schedule(const Json& cron_job, const std::vector<Json>& jobs, bool is_local, Time now);

/// The schedules in the namespace, sorted by namespace and name. An empty namespace means all namespaces.
std::vector<ScheduleView> list_schedules(kube::Client& client, std::string_view namespace_name, bool is_local,
                                         Time now);

/// The CronJob with this name. If it does not exist, throws Error (NotFound) with the nearest name.
Json find_schedule(kube::Client& client, std::string_view namespace_name, const std::string& name);

/// Creates a job of the schedule now, whatever the schedule's times, and returns the job.
Json start_now(kube::Client& client, const Json& cron_job);
/// Pauses or continues a schedule. While paused, it starts no jobs, but running jobs continue.
void set_paused(kube::Client& client, const Json& cron_job, bool is_paused);
/// Deletes the schedule and its jobs. Returns these jobs as they were.
std::vector<Json> remove_schedule(kube::Client& client, const Json& cron_job);

}  // namespace kml::job
