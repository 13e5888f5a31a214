#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/job/spec/timetable.h"

namespace kml::cli {

/// Declares --cron, --every, --at and --tz. The text of a command's man page about --cron, --every, --at and
/// --tz.
struct TimetableDetails {
  std::string cron, every, at, zone;
};

void add_timetable_flags(Command& command, spec::TimetableFlags& flags, const TimetableDetails& details);

/// Prints when the schedules among the created objects first start a job. Lets those of --at start. Throws
/// Error if their time has passed.
void report_first_start(Context& context, const std::vector<Json>& made);

/// On this machine: prints that schedules start nothing while the embedded server does not run.
void note_local_clock(Context& context);

}  // namespace kml::cli
