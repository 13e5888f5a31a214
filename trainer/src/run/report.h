#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "checkpoint/writer.h"
#include "run/gpu_usage.h"
#include "run/metrics.h"
#include "run/options.h"
#include "run/pace.h"
#include "run/training.h"

namespace trainer {

/// Counts the seconds since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The output of a run: rank 0's lines of accuracy, and the JSON lines of --metrics (README.md describes
/// them). Reads the current step and the completed work from `training`.
class Report {
 public:
  Report(const Options& options, const Dataset& data, unsigned threads, Communicator& communicator,
         const Training& training);

  void started(bool resumed);
  /// Reports the losses of the updates that have just been completed.
  void updated(const std::vector<double>& losses, double seconds);
  /// Reports an evaluation and returns the accuracy. `at_step` says whether it is one of the demo's own
  /// evaluations, for which a line is printed.
  double evaluated(uint32_t correct, double seconds, bool at_step);
  /// Reports a checkpoint. `stall` is the number of seconds for which the training waited.
  void saved(const Saved& checkpoint, double stall);
  /// Reports speed and progress, if it is time for that; at the end of the run, if there were updates since
  /// the last report.
  void progress(bool at_end);
  void stopped(int signal);
  /// Reports what each rank did. All ranks must call this.
  void finished(double accuracy, double seconds);

 private:
  bool is_first() const { return communicator_.rank() == 0; }
  nlohmann::ordered_json shares();

  const Options& options_;
  const Dataset& data_;
  unsigned threads_;
  Communicator& communicator_;
  const Training& training_;
  Schedule schedule_;
  Metrics metrics_;
  Stopwatch watch_;
  Pace pace_;
  uint64_t reported_step_ = 0;
  GpuMonitor gpu_;
};

}  // namespace trainer
