#include "schedule/commands/why_schedule.h"

#include <optional>
#include <ostream>

#include "job/commands/submit_schedule.h"
#include "kml/base/error.h"
#include "kml/job/control/schedule.h"
#include "kml/job/tables/schedule_table.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

/// The controller's last warning about the schedule; empty if there is no recent one.
std::string last_warning(Context& context, const Json& cron_job) try {
  const api::ResourceKind& events = *api::find_kind("v1", "Event");
  const std::string about = "involvedObject.uid=" + api::uid_of(cron_job) + ",type=Warning";
  Json last;
  for (Json& event : context.client().list(events, api::namespace_of(cron_job), {"", about}).items)
    if (last.is_null() || api::is_earlier_event(last, event)) last = std::move(event);
  return last.is_null() ? "" : api::reason_of(last) + ": " + api::message_of(last);
} catch (const Error&) {  // the user may not read events
  return {};
}

/// The schedule with that name. Empty if there is none, or if the user may not read it.
std::optional<job::ScheduleView> schedule_named(Context& context, const std::string& name) {
  try {
    for (job::ScheduleView& schedule : job::list_schedules(context.client(), context.place().namespace_name,
                                                           context.place().is_local, system_clock().now()))
      if (schedule.name == name) return std::move(schedule);
  } catch (const Error& error) {
    if (error.reason != "NotFound" && error.http_status != 403) throw;
  }
  return {};
}

}  // namespace

bool is_schedule(Context& context, const std::string& name) {
  return schedule_named(context, name).has_value();
}

void refuse_log_of_schedule(Context& context, const std::string& name) {
  const auto schedule = schedule_named(context, name);
  if (!schedule) return;
  if (!schedule->last_job.empty())
    throw Error(ErrorCode::failure, name + " is a schedule, and each of its jobs has its own log", "",
                "kml logs " + schedule->last_job);
  throw Error(ErrorCode::failure, "schedule " + name + " has not started a job yet",
              schedule->is_paused ? "it is paused"
              : schedule->next    ? "it starts a job at " + ui::time_of_schedule(*schedule, *schedule->next)
                                  : "it follows the clock of the cluster's controller",
              schedule->is_paused ? "kml schedule resume " + name : "`kml why " + name + "` says more");
}

bool explain_schedule(Context& context, const std::string& name) {
  const std::string& namespace_name = context.place().namespace_name;
  Json cron_job;
  try {
    cron_job = job::find_schedule(context.client(), namespace_name, name);
  } catch (const Error& error) {
    if (error.reason == "NotFound" || error.http_status == 403) return false;
    throw;
  }
  std::ostream& out = context.streams().out;
  if (const auto found = schedule_named(context, name)) {
    const job::ScheduleView& schedule = *found;
    out << "schedule " << name << " (" << (schedule.once ? "once" : schedule.cron) << " " << schedule.zone
        << ") ";
    if (schedule.is_paused)
      out << "is paused: `kml schedule resume " << name << "`\n";
    else if (schedule.next)
      out << (schedule.once ? "starts its job at " : "starts its next job at ")
          << ui::time_of_schedule(schedule, *schedule.next) << "\n";
    else if (schedule.once)
      out << "has started its job\n";
    else
      out << "follows the clock of the cluster's controller\n";
    if (schedule.active > 0) out << "job " << schedule.last_job << " has not finished\n";
    if (!schedule.last_job.empty()) out << "about its last job: `kml why " << schedule.last_job << "`\n";
  }
  if (const std::string warning = last_warning(context, cron_job); !warning.empty())
    context.note("last warning: " + warning);
  note_local_clock(context);
  return true;
}

}  // namespace kml::cli
