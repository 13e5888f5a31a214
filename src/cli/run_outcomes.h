#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/records/records.h"

namespace kml::cli {

/// Asks the current target once for outcomes that are not known yet, and records those that are final.
void look_up_outcomes(Context& context, std::vector<jobs::Run>& runs);

/// Also reads the logs of ended runs of the current target whose metrics are not known yet, and records the
/// metrics: none if the job is gone. A log that cannot be read is a note.
void look_up_outcomes_and_metrics(Context& context, std::vector<jobs::Run>& runs,
                                  std::map<std::string, jobs::RunNotes>& notes);

/// Records the metrics of jobs that have just ended. Failures are ignored. Sends requests, so it must not be
/// called while a watch or a log is followed.
void record_metrics(Context& context, const std::vector<Json>& jobs);

}  // namespace kml::cli
