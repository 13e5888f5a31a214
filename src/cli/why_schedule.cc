#include "cli/why_schedule.h"

#include <ostream>
#include <vector>

#include "cli/submit_schedule.h"
#include "kml/api/object.h"
#include "kml/core/error.h"
#include "kml/jobs/control/schedule.h"
#include "kml/ui/schedule_table.h"

namespace kml::cli {

namespace {

/// The last warning of the controller about the schedule; empty if it gave none lately.
std::string last_warning(Context& context, const Json& cron_job) try {
  const api::ResourceKind& events = *api::find_kind("v1", "Event");
  const std::string about = "involvedObject.uid=" + api::uid_of(cron_job) + ",type=Warning";
  Json last;
  for (Json& event : context.client().list(events, api::namespace_of(cron_job), {"", about}).items)
    if (last.is_null() || api::is_earlier_event(last, event)) last = std::move(event);
  return last.is_null() ? "" : api::reason_of(last) + ": " + api::message_of(last);
} catch (const Error&) {  // no rights to events
  return {};
}

}  // namespace

bool explain_schedule(Context& context, const std::string& name) {
  const std::string& namespace_name = context.place().namespace_name;
  Json cron_job;
  std::vector<jobs::ScheduleView> schedules;
  try {
    cron_job = jobs::find_schedule(context.client(), namespace_name, name);
    schedules = jobs::list_schedules(context.client(), namespace_name, context.place().is_local,
                                     system_clock().now());
  } catch (const Error& error) {
    if (error.reason == "NotFound" || error.http_status == 403) return false;
    throw;
  }
  std::ostream& out = context.streams().out;
  for (const jobs::ScheduleView& schedule : schedules) {
    if (schedule.name != name) continue;
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
    if (schedule.active > 0) out << "job " << schedule.last_job << " has not ended\n";
    if (!schedule.last_job.empty()) out << "about its last job: `kml why " << schedule.last_job << "`\n";
  }
  if (const std::string warning = last_warning(context, cron_job); !warning.empty())
    context.note("last warning: " + warning);
  note_local_clock(context);
  return true;
}

}  // namespace kml::cli
