#include "job/commands/submit_schedule.h"

#include <string>

#include "job/control/single_start.h"
#include "kml/job/control/schedule.h"
#include "kml/job/tables/schedule_table.h"
#include "kml/kube/objects/cron_job.h"

namespace kml::cli {

void add_timetable_flags(Command& command, spec::TimetableFlags& flags, const TimetableDetails& details) {
  command
      .option("--cron", "SCHEDULE", flags.cron,
              "start a job at these times: '0 3 * * *' is every day at 3:00")
      .details(details.cron);
  command.option("--every", "DURATION", flags.every, "start a job at this interval: 15m, 6h, 1d, 7d")
      .details(details.every);
  command
      .option("--at", "TIME", flags.at,
              "start one job at this time: '2026-12-01 09:00', 'tomorrow 9:00', 18:30, +2h")
      .details(details.at);
  command
      .option("--tz", "ZONE", flags.zone, "time zone of --cron, --every and --at; by default, this machine's")
      .details(details.zone);
}

void report_first_start(Context& context, const std::vector<Json>& made) {
  for (const Json& created : made) {
    const bool is_single = api::single_start_of(created).has_value();
    const Json& cron_job = is_single ? job::allow_single_start(context.client(), created) : created;
    const job::ScheduleView view =
        job::view_of_schedule(cron_job, {}, context.place().is_local, system_clock().now());
    if (!view.next) continue;
    context.note((is_single ? "starts once: " : "first start: ") + ui::time_of_schedule(view, *view.next) +
                 " (" + view.zone + ")");
    note_local_clock(context);
  }
}

void note_local_clock(Context& context) {
  if (context.place().is_local)
    context.note(
        "jobs start only while the embedded server runs; after this machine restarts, start it with `kml "
        "local up`");
}

}  // namespace kml::cli
