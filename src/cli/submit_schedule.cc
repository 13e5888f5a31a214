#include "cli/submit_schedule.h"

#include <string>

#include "kml/jobs/control/schedule.h"
#include "kml/ui/schedule_table.h"

namespace kml::cli {

void add_timetable_flags(Command& command, spec::TimetableFlags& flags) {
  command.option("--cron", "SCHEDULE", flags.cron,
                 "start a job at these times: '0 3 * * *' is each day at 3:00");
  command.option("--every", "DURATION", flags.every, "start a job this often: 15m, 6h, 1d, 7d");
  command.option("--tz", "ZONE", flags.zone,
                 "for --cron and --every: the time zone; the default is this machine's");
}

void report_first_start(Context& context, const std::vector<Json>& made) {
  for (const Json& cron_job : made) {
    const jobs::ScheduleView view =
        jobs::view_of_schedule(cron_job, {}, context.place().is_local, system_clock().now());
    if (!view.next) continue;
    context.note("first start: " + ui::time_of_schedule(view, *view.next) + " (" + view.zone + ")");
    note_local_clock(context);
  }
}

void note_local_clock(Context& context) {
  if (context.place().is_local)
    context.note(
        "jobs start only while the embedded server runs; after a restart of this machine, start it with "
        "`kml local up`");
}

}  // namespace kml::cli
