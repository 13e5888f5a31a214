#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/job/spec/timetable.h"

namespace kml::cli {

/// The sentences about --cron, --every, --at and --tz in a command's man page.
struct TimetableDetails {
  std::string cron, every, at, zone;
};

void add_timetable_flags(Command& command, spec::TimetableFlags& flags, const TimetableDetails& details);

/// Prints when the created schedules will first start a job, and activates the schedules of --at. Throws
/// Error if the time of such a schedule has passed.
void report_first_start(Context& context, const std::vector<Json>& made);

/// If the target is the embedded server, prints that schedules start nothing while that server is stopped.
void note_local_clock(Context& context);

}  // namespace kml::cli
