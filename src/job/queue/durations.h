#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/job/views/job_view.h"

namespace kml::job {

using std::chrono::seconds;

/// The run times of past jobs, grouped by similarity.
class DurationHistory {
 public:
  /// Adds an ended job. Measures its time from its existing pods, because a Job's own start time includes
  /// waiting.
  void add(const JobView& job, std::span<const Json> pods);
  bool empty() const { return families_.empty(); }

  /// The sorted run times of similar jobs: jobs with the same namespace, user, number of GPUs and name
  /// (without a generated or numbered suffix). If too few of these are known, the name may differ; then, the
  /// namespace and the user, too. Null if even then too few are known.
  const std::vector<seconds>* of(const JobView& job);

 private:
  struct Family {
    std::vector<seconds> durations;
    bool is_sorted = false;
  };
  std::map<std::string, Family> families_;
};

/// A random share of the time limit, for jobs about which only the limit is known: most users overestimate,
/// often tenfold. One simulation uses the same share for all of these jobs.
double share_of_limits(const std::function<double()>& random);

/// The known facts about the time at which a running or waiting entry will end, if it has run for `elapsed`.
/// Any of these facts may be missing.
struct Duration {
  const std::vector<seconds>* history = nullptr;  ///< run times of similar jobs, sorted
  std::optional<seconds> limit;                   ///< the time limit, measured from the start
  std::optional<seconds> told_left;               ///< the remaining time that the training reports
  std::optional<seconds> ends_in;                 ///< the remaining time, if it is certain
  seconds elapsed{0};

  bool is_known() const { return history || limit || told_left || ends_in; }
  /// A random remaining time. `random` returns numbers that are uniform in [0, 1). If only the limit is
  /// known, returns `share_of_limit` times the time left. Call this only if is_known().
  seconds left(const std::function<double()>& random, double share_of_limit) const;
};

}  // namespace kml::job
