#pragma once

#include "kml/core/error.h"

namespace kml::jobs {

/// What the refusal to make a trial's job says of the trial.
enum class Refusal {
  for_good,  ///< it would be refused again: its manifest is invalid, or a webhook or a policy denies it
  by_quota,  ///< it can be made once others are gone
  of_sweep,  ///< nothing: the server is not well, or does not let this user in
};

Refusal refusal_of(const Error& error);

}  // namespace kml::jobs
