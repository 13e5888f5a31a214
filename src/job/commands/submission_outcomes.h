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

/// Asks the current target once for outcomes that are still unknown, and records those that are final.
void look_up_outcomes(Context& context, std::vector<job::Submission>& submissions);

/// Also reads the logs of the current target's ended runs whose metrics are unknown, and records the metrics.
/// If the job was deleted, records that the run has no metrics. If a log cannot be read, prints a note.
void look_up_outcomes_and_metrics(Context& context, std::vector<job::Submission>& submissions,
                                  std::map<std::string, job::RunNotes>& notes);

/// Records the metrics and the GPU time of jobs that have just ended. Ignores failures. Sends requests, so it
/// must not be called while a watch or a log is followed.
void record_metrics(Context& context, const std::vector<Json>& jobs);

/// Records the metrics of jobs that are about to be deleted together with their logs.
class LastMetrics {
 public:
  /// Does nothing for a job that this machine did not submit, or whose metrics are already known. Takes at
  /// most 2 s. If a log did not respond in that time, takes at most 0.2 s for each further job. Prints a note
  /// if it fails.
  void record(Context& context, const Json& job);

 private:
  std::optional<std::set<std::string>> wanted_;  ///< the runs whose metrics are wanted, by id
  std::chrono::milliseconds limit_{2000};
};

}  // namespace kml::cli
