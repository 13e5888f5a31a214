#pragma once

#include <vector>

#include "kml/jobs/attempts/attempts.h"
#include "kml/jobs/views/disruption.h"

namespace kml::jobs {

/// By which the clocks of a node and of the API server may differ.
inline constexpr std::chrono::seconds kClockSkew{5};

/// A disruption of this attempt is why it ended; a name once known stays.
void add_disruption(Attempt& attempt, const Disruption& disruption);

/// The same for the one of the attempts that it befell; where there is none, it is all that is known of one.
void add_disruption(std::vector<Attempt>& attempts, const Disruption& disruption);

/// Adds what programs told, oldest first: to the attempt that the API tells of, where that is still known.
void add_told(std::vector<Attempt>& attempts, std::vector<Attempt> told);

/// An attempt that was followed by another has ended, even if nobody tells how.
void say_what_is_unknown(std::vector<Attempt>& attempts);

}  // namespace kml::jobs
