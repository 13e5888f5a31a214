#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/records/records.h"

namespace kml::cli {

/// Asks the current target once for outcomes that are not known yet, and records those that are final.
void look_up_outcomes(Context& context, std::vector<job::Submission>& submissions);

/// Also reads the logs of ended runs of the current target whose metrics are not known yet, and records the
/// metrics: none if the job is gone. A log that cannot be read is a note.
void look_up_outcomes_and_metrics(Context& context, std::vector<job::Submission>& submissions,
                                  std::map<std::string, job::RunNotes>& notes);

/// Records the metrics of jobs that have just ended. Failures are ignored. Sends requests, so it must not be
/// called while a watch or a log is followed.
void record_metrics(Context& context, const std::vector<Json>& jobs);

/// Records the metrics of jobs that are about to be deleted with their logs.
class LastMetrics {
 public:
  /// Does nothing unless this machine submitted the job and its metrics are not known yet. Takes at most 2 s;
  /// after a log that did not respond in that time, 0.2 s for each further job. A failure is a note.
  void record(Context& context, const Json& job);

 private:
  std::optional<std::set<std::string>> wanted_;  ///< runs, by id
  std::chrono::milliseconds limit_{2000};
};

}  // namespace kml::cli
