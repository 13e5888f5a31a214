#include "kml/job/tables/schedule_table.h"

#include <string>
#include <utility>
#include <vector>

#include "kml/base/time_zone.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

Cell next_cell(const job::ScheduleView& schedule) {
  if (schedule.is_paused) return {"paused", Style::yellow};
  if (!schedule.next) return {schedule.once ? "-" : "?"};
  return {time_of_schedule(schedule, *schedule.next)};
}

Cell result_cell(const job::ScheduleView& schedule) {
  if (!schedule.result) return {"-"};
  if (schedule.ran_nothing)
    return {std::string(job::name_of(*schedule.result)) + ", all cached", Style::yellow};
  return {std::string(job::name_of(*schedule.result)), style_of(*schedule.result)};
}

}  // namespace

std::string time_of_schedule(const job::ScheduleView& schedule, Time time) {
  return minute_in(TimeZone::find(schedule.zone).value_or(TimeZone::utc()), time);
}

void print_schedules(const Streams& streams, std::span<const job::ScheduleView> schedules,
                     const TableOptions& options) {
  using job::ScheduleView;
  const std::vector<Column<ScheduleView>> columns = {
      {"NAMESPACE", &ScheduleView::namespace_name, options.with_namespace},
      {"NAME", &ScheduleView::name},
      {"SCHEDULE", [](const ScheduleView& schedule) { return schedule.once ? "once" : schedule.cron; }},
      {"ZONE", [](const ScheduleView& schedule) { return or_dash(schedule.zone); }},
      {"NEXT", next_cell},
      {"LAST",
       [](const ScheduleView& schedule) {
         return schedule.last ? time_of_schedule(schedule, *schedule.last) : "-";
       }},
      {"RESULT", result_cell},
      {"ACTIVE", [](const ScheduleView& schedule) { return std::to_string(schedule.active); }},
      {"LAST JOB", [](const ScheduleView& schedule) { return or_dash(schedule.last_job); }, options.wide}};
  Table table = table_of(columns, schedules);
  table.drop_first({"ACTIVE", "LAST"});
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

Json to_json(const job::ScheduleView& schedule) {
  const auto text = [](const std::optional<Time>& time) { return time ? Json(rfc3339(*time)) : Json(); };
  return {{"name", schedule.name},
          {"namespace", schedule.namespace_name},
          {"schedule", schedule.cron},
          {"zone", schedule.zone},
          {"once", text(schedule.once)},
          {"paused", schedule.is_paused},
          {"next", text(schedule.next)},
          {"last", text(schedule.last)},
          {"lastJob", schedule.last_job},
          {"result", schedule.result ? Json(job::name_of(*schedule.result)) : Json()},
          {"ranNothing", schedule.ran_nothing},
          {"active", schedule.active}};
}

}  // namespace kml::ui
