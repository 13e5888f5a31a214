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

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What a run tells: rank 0's lines of accuracy, and the JSON lines of --metrics (README.md describes them).
/// Of `training` it reads which step it is, and what was done.
class Report {
 public:
  Report(const Options& options, const Dataset& data, unsigned threads, Communicator& communicator,
         const Training& training);

  void started(bool resumed);
  /// The updates that the losses are of were the last ones.
  void updated(const std::vector<double>& losses, double seconds);
  /// Returns the accuracy. `at_step`: it is one of the demo's own evaluations, with a line.
  double evaluated(uint32_t correct, double seconds, bool at_step);
  /// `stall`: seconds that the training was held up for it.
  void saved(const Saved& checkpoint, double stall);
  /// Tells of speed and progress, if it is time; at the end of the run in any case.
  void progress(bool at_end);
  void stopped(int signal);
  /// All ranks call it: it tells what each of them did.
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
