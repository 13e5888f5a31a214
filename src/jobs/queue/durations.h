#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

using std::chrono::seconds;

/// How long jobs took, by what they have in common.
class DurationHistory {
 public:
  /// One that has ended, by its pods that are still there: a Job's own start is before it waited.
  void add(const JobView& job, std::span<const Json> pods);
  bool empty() const { return families_.empty(); }

  /// How long jobs like this one took, sorted: those of the same user and name, but for what is drawn or
  /// counted at its end; else those of the same user and number of GPUs; else those of that number. Null
  /// where too few of any are known.
  const std::vector<seconds>* of(const JobView& job);

 private:
  struct Family {
    std::vector<seconds> durations;
    bool is_sorted = false;
  };
  std::map<std::string, Family> families_;
};

/// How much of their limits jobs may use of which nothing else is known, by chance. All of them alike: who
/// sets them errs in one direction, often tenfold.
double share_of_limits(const std::function<double()>& random);

/// What is known of when something ends that has run for `elapsed`; any part may be missing.
struct Duration {
  const std::vector<seconds>* history = nullptr;  ///< sorted
  std::optional<seconds> limit;                   ///< from its start
  std::optional<seconds> told_left;               ///< what its training says is left
  seconds elapsed{0};

  bool is_known() const { return history || limit || told_left; }
  /// What may be left, `random` uniform in [0, 1). Of what only has a limit, this share of what is left until
  /// then. Only where something is known.
  seconds left(const std::function<double()>& random, double share_of_limit) const;
};

}  // namespace kml::jobs
