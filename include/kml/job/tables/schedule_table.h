#pragma once

#include <span>

#include "kml/job/control/schedule.h"
#include "kml/job/tables/job_tables.h"

namespace kml::ui {

/// Prints a row for each schedule. Times are in the schedule's own time zone.
void print_schedules(const Streams& streams, std::span<const job::ScheduleView> schedules,
                     const TableOptions& options);

/// The time in the schedule's time zone, or in UTC if it has none: "2026-11-26 03:00".
std::string time_of_schedule(const job::ScheduleView& schedule, Time time);

/// Everything that is known about a schedule, for programs.
Json to_json(const job::ScheduleView& schedule);

}  // namespace kml::ui
