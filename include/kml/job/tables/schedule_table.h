#pragma once

#include <span>

#include "kml/job/control/schedule.h"
#include "kml/job/tables/job_tables.h"

namespace kml::ui {

/// Prints a row for each schedule. Times are those of the schedule's own clock.
void print_schedules(const Streams& streams, std::span<const job::ScheduleView> schedules,
                     const TableOptions& options);

/// The time in the zone of the schedule, "2026-11-26 03:00"; in UTC if it has none.
std::string time_of_schedule(const job::ScheduleView& schedule, Time time);

/// All that is known, for programs.
Json to_json(const job::ScheduleView& schedule);

}  // namespace kml::ui
