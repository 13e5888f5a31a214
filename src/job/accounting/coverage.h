#pragma once

#include <span>
#include <vector>

#include "job/attempts/eviction.h"
#include "kml/job/accounting/gpu_time.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The time from the creation of the account's job until its end or `now`, as spans. Each span has the number
/// of pods that the job wanted, and for how many pods the sources show whether they ran. See account_of().
/// `idle` are times in which the job had no pods.
std::vector<CoveredSpan> covered_by(const JobView& view, std::span<const Json* const> pods,
                                    const std::vector<Attempt>& attempts, const JobAccount& account,
                                    std::span<const IdleTime> idle, bool keeps_all, Time now);

}  // namespace kml::job
