#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kml/engine/journal/job_report.h"

namespace kml::engine {

/// Runs the jobs of an engine, on a server or as scripted by a test.
template <typename Job>
class Runner {
 public:
  virtual ~Runner() = default;
  /// Creates the jobs. If an earlier engine has created them under the same names, takes them over and
  /// reports their values again.
  virtual void start(const std::vector<Job>& jobs) = 0;
  /// Stops a job, with its grace period. The job's end is still reported.
  virtual void stop(const std::string& job) = 0;
  /// Waits up to `limit`, and returns the reports since the last call. Throws Error (interrupted) if a signal
  /// arrives.
  virtual std::vector<JobReport> wait(std::chrono::milliseconds limit) = 0;
};

}  // namespace kml::engine
