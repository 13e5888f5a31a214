#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/base/clock.h"
#include "kml/job/spec/timetable.h"

namespace kml::cli {

/// A pipeline that a schedule starts.
struct ScheduledRun {
  std::filesystem::path file;      ///< absolute
  std::string name;                ///< of the schedule
  std::vector<std::string> flags;  ///< of each `kml run`
};

/// Throws usage Error if the name is too long for a schedule of runs.
void require_short_name(const std::string& name);

/// Creates a CronJob on the embedded server whose jobs are `kml run` in the current folder. Returns the exit
/// code. On a cluster, see schedule_in_cluster().
int schedule_run(Context& context, const ScheduledRun& run, const spec::Timetable& timetable);

/// Adds a variable with the job's name to its pods, for start_of_schedule().
void tell_job_name(Json& job);

/// A CronJob on the embedded server whose jobs run this kml with these words, in the current folder. Returns
/// the exit code.
int schedule_own_command(Context& context, const std::string& name, std::vector<std::string> words,
                         const spec::Timetable& timetable);
/// A job that runs this command as this kml runs, for the embedded server. `command` is a `kml run`.
Json own_command_job(Context& context, const std::string& name, std::vector<std::string> command);

/// The job of a schedule in which this process runs.
struct StartOfSchedule {
  std::string job;
  std::string schedule = {};  ///< its name
  Json object = {};           ///< the job
  std::optional<Time> time;   ///< the time for which it was scheduled; empty if a user started it
};

/// Empty outside the jobs of schedules of runs.
std::optional<StartOfSchedule> start_of_schedule(Context& context);

}  // namespace kml::cli
