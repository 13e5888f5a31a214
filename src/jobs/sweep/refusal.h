#pragma once

#include <chrono>

#include "kml/core/error.h"

namespace kml::jobs {

/// What the refusal of a request, to make a trial's job or another one of a sweep's, says.
enum class Refusal {
  for_good,  ///< it would be refused again: its manifest is invalid, or a webhook or a policy denies it
  by_quota,  ///< it can be made once others are gone
  passing,   ///< nothing of the trial: the server is away, or not well
  of_sweep,  ///< nothing of the trial: this user is not let in
};

Refusal refusal_of(const Error& error);

/// Doubled up to the longest, between requests that are in vain.
inline constexpr std::chrono::milliseconds kFirstPause{1'000}, kLongestPause{30'000};

}  // namespace kml::jobs
