#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/core/clock.h"
#include "kml/spec/timetable.h"

namespace kml::cli {

/// A pipeline that the clock starts.
struct ScheduledRun {
  std::filesystem::path file;      ///< absolute
  std::string name;                ///< of the schedule
  std::vector<std::string> flags;  ///< of each `kml run`
};

/// Creates a CronJob on the embedded server whose jobs are `kml run` in the current folder. Returns the exit
/// code. Throws usage Error if the target is a cluster, whose pods have neither these files nor kml.
int schedule_run(Context& context, const ScheduledRun& run, const spec::Timetable& timetable);

/// The job of a schedule in which this process runs.
struct StartOfSchedule {
  std::string job;
  std::optional<Time> time;  ///< for which it was scheduled; empty if a person started it
};

/// Empty outside the jobs that schedule_run() creates.
std::optional<StartOfSchedule> start_of_schedule(Context& context);

}  // namespace kml::cli
