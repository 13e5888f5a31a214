#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/time_zone.h"
#include "kml/job/accounting/gpu_time.h"

namespace kml::job {

/// The keys by which GPU time can be summed up: user, queue, gpu, project, day.
std::span<const std::string> usage_keys();

struct UsageQuery {
  std::vector<std::string> by;  ///< of usage_keys()
  Time since = {}, until = {};
  TimeZone zone = TimeZone::utc();  ///< the zone in which days start
};

/// GPU hours of all jobs that have the same values for the keys.
struct UsageSum {
  std::vector<std::string> values;  ///< the value of each key; "" if the jobs have none
  long long jobs = 0;
  std::array<double, kUses> hours = {};  ///< by Use
  double wanted = 0, known = 0;          ///< GPU hours, as in CoveredSpan

  double of(Use use) const { return hours[static_cast<size_t>(use)]; }
  double held() const;
  /// Whether a source covers at least a part of the GPU time of this sum. True if no GPU time was wanted.
  bool is_known() const { return known > 0 || wanted == 0; }
};

/// The sums, sorted by their values. A job is included in each sum to whose time it contributes.
std::vector<UsageSum> usage_of(std::span<const JobAccount> accounts, const UsageQuery& query);

}  // namespace kml::job
