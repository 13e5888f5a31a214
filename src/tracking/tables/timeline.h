#pragma once

#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/base/time_zone.h"
#include "kml/job/accounting/job_bars.h"

namespace kml::ui {

/// A job with its rows: one for the whole job, which one for each rank or task may follow.
struct TimelineJob {
  job::JobAccount account;
  std::vector<job::BarRow> rows;
};

/// Draws a bar for each row, from `since` to `until`, as wide as the terminal. Each character stands for the
/// state that took up most of its time.
void print_timeline(const Streams& streams, const std::vector<TimelineJob>& jobs, Time since, Time until,
                    const TimeZone& zone);

Json to_json(const TimelineJob& job);

/// The timeline as an HTML page. It loads nothing from elsewhere, whatever texts it contains.
std::string timeline_page(const std::vector<TimelineJob>& jobs, Time since, Time until);

}  // namespace kml::ui
