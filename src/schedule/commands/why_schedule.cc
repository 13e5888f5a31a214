#include "schedule/commands/why_schedule.h"

#include <optional>
#include <utility>

#include "job/commands/submit_schedule.h"
#include "kml/base/error.h"
#include "kml/job/control/schedule.h"
#include "kml/job/tables/schedule_table.h"
#include "kml/job/why/cause.h"
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

void refuse_log_of_schedule(Context& context, const std::string& name) {
  const auto schedule = schedule_named(context, name);
  if (!schedule) return;
  if (!schedule->last_job.empty())
    throw Error(ErrorCode::failure, name + " is a schedule, and each of its jobs has its own log", "",
                "kml logs " + schedule->last_job);
  if (schedule->once && !schedule->next && !schedule->is_paused)
    throw Error(ErrorCode::failure, "schedule " + name + " has started its job, and the job is deleted", "",
                "`kml history` shows what is known about it");
  throw Error(ErrorCode::failure, "schedule " + name + " has not started a job yet",
              schedule->is_paused ? "it is paused"
              : schedule->next    ? "it starts a job at " + ui::time_of_schedule(*schedule, *schedule->next)
                                  : "it follows the clock of the cluster's controller",
              schedule->is_paused ? "kml schedule resume " + name : "`kml why " + name + "` says more");
}

namespace {

std::string next_start_in_words(const job::ScheduleView& schedule) {
  if (schedule.is_paused) return "is paused";
  if (schedule.next)
    return (schedule.once ? "starts its job at " : "starts its next job at ") +
           ui::time_of_schedule(schedule, *schedule.next);
  return schedule.once ? "has started its job" : "follows the clock of the cluster's controller";
}

job::State state_of_schedule(const job::ScheduleView& schedule) {
  if (schedule.is_paused) return job::State::suspended;
  if (schedule.active > 0) return job::State::running;
  return schedule.once && !schedule.next ? job::State::succeeded : job::State::waiting;
}

job::CauseCode code_of_schedule(job::State state) {
  switch (state) {
    case job::State::suspended: return job::CauseCode::suspended;
    case job::State::running: return job::CauseCode::running;
    case job::State::succeeded: return job::CauseCode::succeeded;
    default: return job::CauseCode::not_due;
  }
}

std::string text_of_schedule(const job::ScheduleView& schedule) {
  const std::string& name = schedule.name;
  std::string text = "schedule " + name + " (" + (schedule.once ? "once" : schedule.cron) + " " +
                     schedule.zone + ") " + next_start_in_words(schedule);
  text += schedule.is_paused ? ": `kml schedule resume " + name + "`\n" : "\n";
  if (schedule.active > 0) text += "job " + schedule.last_job + " has not finished\n";
  if (!schedule.last_job.empty()) text += "about its last job: `kml why " + schedule.last_job + "`\n";
  return text;
}

Explained explained_schedule(Context& context, const job::ScheduleView& schedule) {
  const job::State state = state_of_schedule(schedule);
  const std::string phrase = next_start_in_words(schedule);
  job::Cause cause =
      job::make_cause(code_of_schedule(state), phrase, "schedule " + schedule.name + " " + phrase);
  if (!schedule.last_job.empty()) cause.object = "job " + schedule.last_job;
  if (schedule.is_paused)
    cause.remedies.push_back({"continue the schedule", "kml schedule resume " + schedule.name});
  Explained made = explained(context, "CronJob", schedule.name, state, std::move(cause));
  made.text = text_of_schedule(schedule);
  return made;
}

}  // namespace

std::optional<Explained> explain_schedule(Context& context, const std::string& name) {
  Json cron_job;
  try {
    cron_job = job::find_schedule(context.client(), context.place().namespace_name, name);
  } catch (const Error& error) {
    if (error.reason == "NotFound" || error.http_status == 403) return {};
    throw;
  }
  const auto schedule = schedule_named(context, name);
  Explained made = schedule
                       ? explained_schedule(context, *schedule)
                       : explained(context, "CronJob", name, job::State::waiting,
                                   job::make_cause(job::CauseCode::not_due, "", "its times are unknown"));
  if (const std::string warning = last_warning(context, cron_job); !warning.empty()) {
    context.note("last warning: " + warning);
    made.verdict.causes[0].message = warning;
  }
  note_local_clock(context);
  return made;
}

}  // namespace kml::cli
