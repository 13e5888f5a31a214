#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The resources that a job requested and used. Amounts are per pod, as in requests.
struct Efficiency {
  JobView job;
  int pods_seen = 0;       ///< pods that have run and still exist
  nanoseconds waited{};    ///< until the first pod started
  nanoseconds ran{};       ///< from then until the end, or until now
  nanoseconds pod_time{};  ///< the run times of all pods together
  std::optional<nanoseconds> time_limit;

  std::optional<double> cpus_asked;  ///< requests
  std::optional<double> cpus_mean;   ///< mean of a pod over its whole run
  std::optional<double> cpus_most;   ///< mean of the busiest pod
  std::optional<double> cpus_now;    ///< current use of a pod, if the mean is not recorded

  std::optional<int64_t> memory_asked, memory_limit;  ///< bytes
  std::optional<int64_t> memory_peak;                 ///< peak of the pod with the highest one
  std::optional<int64_t> memory_with_files;           ///< includes files cached by the kernel
  std::optional<int64_t> memory_now;                  ///< if the peak is not recorded

  long long gpus_asked = 0;  ///< by all simultaneous pods
  std::optional<double> gpu_percent;

  std::vector<std::string> unseen;  ///< what could not be read, and why
  std::vector<std::string> advice;  ///< what to request next time
};

/// `pods` are the job's own; `usage` is that of running pods, by "namespace/name".
Efficiency efficiency_of(const Json& job, std::span<const Json* const> pods,
                         const std::map<std::string, PodUsage>& usage, Time now);

}  // namespace kml::job
