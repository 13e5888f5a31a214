#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kml/engine/journal/job_report.h"

namespace kml::engine {

/// Runs the jobs of an engine: on a server, or scripted in tests.
template <typename Job>
class Runner {
 public:
  virtual ~Runner() = default;
  /// Creates the jobs, or adopts those that this engine created earlier under the same names and reports
  /// their values again.
  virtual void start(const std::vector<Job>& jobs) = 0;
  /// Ends a job, with its grace period. Its end is still reported.
  virtual void stop(const std::string& job) = 0;
  /// Waits up to `limit` and returns the reports since the last call. Throws Error (interrupted) on a signal.
  virtual std::vector<JobReport> wait(std::chrono::milliseconds limit) = 0;
};

}  // namespace kml::engine
