#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/submit_schedule.h"
#include "kml/job/control/schedule.h"
#include "kml/job/tables/schedule_table.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/cached_schedule.h"

namespace kml::cli {

namespace {

struct ScheduleListOptions {
  bool all_namespaces = false, no_headers = false;
  std::string output;
};

int run_schedule_list(Context& context, const ScheduleListOptions& options) {
  std::vector<job::ScheduleView> schedules =
      job::list_schedules(context.client(), context.list_namespace(options.all_namespaces),
                          context.place().is_local, system_clock().now());
  find_cached_runs(context, schedules);
  if (options.output == "name") {
    for (const job::ScheduleView& schedule : schedules) context.streams().out << schedule.name << "\n";
  } else if (ui::is_data(options.output)) {
    Json items = Json::array();
    for (const job::ScheduleView& schedule : schedules) items.push_back(ui::to_json(schedule));
    ui::print_value(context.streams(), items, options.output, !options.no_headers);
  } else if (schedules.empty()) {
    context.note("no schedules" +
                 (options.all_namespaces ? "" : " in namespace " + context.place().namespace_name));
  } else {
    ui::print_schedules(context.streams(), schedules,
                        {options.all_namespaces, options.output == "wide", !options.no_headers});
    note_cached_runs(context, schedules);
    note_local_clock(context);
  }
  return 0;
}

Command schedule_list_command() {
  auto options = std::make_shared<ScheduleListOptions>();
  Command command{"list", "List schedules: their next start, and the outcome of the last job"};
  command.description =
      R"(A schedule is a Kubernetes CronJob; kml also lists CronJobs that other programs created. NEXT and LAST are
times in the schedule's time zone. A CronJob without a time zone follows the clock of the cluster's controller, so kml
does not know when its next job starts, and shows LAST in UTC.)";
  command.examples = R"(kml schedule list
# The next start of each schedule
kml schedule list -A -o custom-columns=NAME:.name,NEXT:.next)";
  command.flag("-A,--all-namespaces", options->all_namespaces, "show the schedules in all namespaces")
      .details("Show the schedules in all namespaces.");
  command.flag("--no-headers", options->no_headers, "leave out the header line")
      .details("Leave out the header line.");
  add_output_format(command, ui::kFormats, options->output, "print all details, or only names")
      .details("Print all details of the schedules, or only their names.");
  command.run = [options](Context& context) { return run_schedule_list(context, *options); };
  return command;
}

}  // namespace

Command schedule_command() {
  Command group{"schedule", "Manage schedules, which start jobs at set times"};
  group.description =
      R"(`kml submit --cron` and `--every` create a schedule, a Kubernetes CronJob, instead of a job. The names of
its jobs start with the name of the schedule; `kml list`, `kml logs` and the other commands work on them as on other jobs.
`kml run FILE --cron` creates a schedule for a pipeline. `--at` creates a schedule that starts one job.

- While a job is running, the next one waits.
- A job that would start more than an hour late, because the job before it still ran, or because the cluster or this
machine was down, is skipped. A job with --at starts no matter how late.
- The newest three successful jobs and the newest three failed ones are kept.)";
  group.examples = R"(# Train every night at three o'clock
kml submit --name nightly --cron '0 3 * * *' --tz Europe/Berlin -- python train.py
# Train once, tomorrow morning
kml submit --name once --at 'tomorrow 9:00' -- python train.py
# Start a job of the schedule "nightly" now
kml schedule run-now nightly --follow)";
  for (Command (*make)() : {schedule_list_command, schedule_git_command, schedule_run_now_command,
                            schedule_pause_command, schedule_resume_command, schedule_delete_command})
    group.subcommands.push_back(make());
  return group;
}

}  // namespace kml::cli
