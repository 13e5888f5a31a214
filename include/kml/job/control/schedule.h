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

/// A schedule, which is a CronJob, as kml shows it.
struct ScheduleView {
  std::string name, namespace_name;
  std::string cron;
  std::string zone;  ///< empty if the CronJob has none: then the clock of the cluster's controller is used
  std::optional<Time> once = {};  ///< the time of its only start
  bool is_paused = false;
  std::optional<Time> next;   ///< empty if it is paused or over, or if this machine does not know the zone
  std::optional<Time> last;   ///< its last start, whether on a schedule or by hand
  std::string last_job = {};  ///< empty if the job no longer exists
  std::optional<State> result = {};
  bool ran_nothing = false;  ///< its last job was a pipeline's run whose steps were all cached
  size_t active = 0;         ///< its jobs that have not ended
};

/// `jobs` are all jobs of its namespace. `is_local` means the embedded server, whose clock is this machine's.
ScheduleView view_of_schedule(const Json& cron_job, const std::vector<Json>& jobs, bool is_local, Time now);

/// The schedules of the namespace, or of all if it is empty, by namespace and name.
std::vector<ScheduleView> list_schedules(kube::Client& client, std::string_view namespace_name, bool is_local,
                                         Time now);

/// The CronJob with that name. Throws Error "NotFound", with the nearest name.
Json find_schedule(kube::Client& client, std::string_view namespace_name, const std::string& name);

/// Creates a job of the schedule now, whatever its times, and returns it.
Json start_now(kube::Client& client, const Json& cron_job);
/// A paused schedule starts no jobs. Running jobs continue.
void set_paused(kube::Client& client, const Json& cron_job, bool is_paused);
/// Deletes the schedule with its jobs.
void remove_schedule(kube::Client& client, const Json& cron_job);

}  // namespace kml::job
