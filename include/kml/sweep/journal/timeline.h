#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kml/base/clock.h"
#include "kml/sweep/journal/record.h"

namespace kml::sweep {

/// The times at which the jobs of a sweep's trials ran, from its journal: a fold over the records, like
/// SweepState.
class Timeline {
 public:
  struct Span {
    std::uint64_t trial;
    Time begin;
    std::optional<Time> end;  ///< empty while it runs
  };

  void apply(const Record& record);

  /// In the order in which they started. A retried or promoted trial has several spans.
  const std::vector<Span>& spans() const { return spans_; }
  /// The total time for which each trial's jobs have run; without trials that never ran.
  std::map<std::uint64_t, nanoseconds> ran(Time now) const;

 private:
  void begin(std::uint64_t trial, Time time);
  void end(std::uint64_t trial, Time time);

  std::vector<Span> spans_;
  std::map<std::uint64_t, size_t> open_;  ///< by trial: its open span
  std::map<std::uint64_t, Time> made_;    ///< by trial: the time of its last job
};

}  // namespace kml::sweep
