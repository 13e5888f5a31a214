#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The resources that a job requested, and those that it used. Amounts are per pod, as in requests.
struct Efficiency {
  JobView job;
  int pods_seen = 0;  ///< pods that have run and still exist
  /// the time from the job's creation until its first pod started; without such a pod, until the job ended or
  /// was suspended, or until now
  nanoseconds waited{};
  /// the time from the first pod's start until the last one's end, or until now; for a task, without the
  /// waits between its attempts
  nanoseconds ran{};
  nanoseconds pod_time{};  ///< the run times of all pods together
  std::optional<nanoseconds> time_limit;

  std::optional<double> cpus_asked;  ///< requests
  std::optional<double> cpus_mean;   ///< the mean over the whole runs of all pods
  std::optional<double> cpus_most;   ///< the busiest pod's mean over its run
  std::optional<double> cpus_now;    ///< the busiest pod's current use, if no mean is recorded

  std::optional<int64_t> memory_asked, memory_limit;  ///< bytes
  std::optional<int64_t> memory_peak;                 ///< the highest peak of any pod
  std::optional<int64_t> memory_with_files;           ///< includes files cached by the kernel
  std::optional<int64_t> memory_now;  ///< the highest current use of any pod, if no peak is recorded

  long long gpus_asked = 0;  ///< requested by all simultaneous pods together
  std::optional<double> gpu_percent;

  std::vector<std::string> unseen;  ///< the values that could not be read, and why
  std::vector<std::string> advice;  ///< suggestions for the next request
};

/// The times at which a job's pods ran, including pods that no longer exist.
struct RunTimes {
  std::optional<Time> first_start, last_end;  ///< empty if no pod is known to have run
  std::optional<Time> suspended;              ///< since when the job is suspended
  bool are_of_task = false;
  std::vector<std::pair<Time, Time>> of_attempts = {};  ///< for a task: when each of its pods ran
};

/// `pods` are the job's pods. `usage` is the usage of running pods by "namespace/name".
Efficiency efficiency_of(const Json& job, std::span<const Json* const> pods,
                         const std::map<std::string, PodUsage>& usage, const RunTimes& times, Time now);

}  // namespace kml::job
