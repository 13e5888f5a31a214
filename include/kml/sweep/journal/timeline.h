#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kml/base/clock.h"
#include "kml/sweep/journal/record.h"

namespace kml::sweep {

/// The times at which the jobs of a sweep's trials ran. Like SweepState, it is computed from the sweep's
/// journal, one record at a time.
class Timeline {
 public:
  struct Span {
    std::uint64_t trial;
    Time begin;
    std::optional<Time> end;  ///< the end of the job; empty while it runs
  };

  void apply(const Record& record);

  /// The times, in the order of the journal. A trial can have several, for example if it was retried,
  /// promoted or preempted.
  const std::vector<Span>& spans() const { return spans_; }
  /// For how long each trial's jobs have run in total. Leaves out trials that never ran.
  std::map<std::uint64_t, nanoseconds> ran(Time now) const;

 private:
  void begin(std::uint64_t trial, Time time);
  void end(std::uint64_t trial, Time time);

  std::vector<Span> spans_;
  std::map<std::uint64_t, size_t> open_;  ///< for each trial, the index of its span that has not ended
  std::map<std::uint64_t, Time> made_;    ///< for each trial, the time at which its last job was created
};

}  // namespace kml::sweep
