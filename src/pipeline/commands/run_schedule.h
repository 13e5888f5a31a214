#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/base/clock.h"
#include "kml/job/spec/timetable.h"

namespace kml::cli {

/// A pipeline that is run on a schedule.
struct ScheduledRun {
  std::filesystem::path file;      ///< absolute
  std::string name;                ///< the name of the schedule
  std::vector<std::string> flags;  ///< the flags for each `kml run`
};

/// Throws usage Error if the name is too long for a schedule that starts runs.
void require_short_name(const std::string& name);

/// Creates a CronJob on the embedded server whose jobs call `kml run` in the current folder. Returns the exit
/// code. For clusters, see schedule_in_cluster().
int schedule_run(Context& context, const ScheduledRun& run, const spec::Timetable& timetable);

/// Adds a variable with the job's name to the job's pods. start_of_schedule() reads the variable.
void tell_job_name(Json& job);

/// Creates a CronJob on the embedded server whose jobs run this kml program with these words, in the current
/// folder. Returns the exit code.
int schedule_own_command(Context& context, const std::string& name, std::vector<std::string> words,
                         const spec::Timetable& timetable);
/// A job for the embedded server that runs `command`, a `kml run`, under the same conditions as this process.
Json own_command_job(Context& context, const std::string& name, std::vector<std::string> command);

/// The job, started by a schedule, in which this process runs.
struct StartOfSchedule {
  std::string job;
  std::string schedule = {};  ///< its name
  Json object = {};           ///< the job
  std::optional<Time> time;   ///< the time for which the job was scheduled; empty if there is none
};

/// Empty if this process does not run in a job that a schedule started.
std::optional<StartOfSchedule> start_of_schedule(Context& context);

}  // namespace kml::cli
