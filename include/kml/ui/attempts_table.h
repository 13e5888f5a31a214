#pragma once

#include <span>

#include "kml/core/json.h"
#include "kml/core/streams.h"
#include "kml/jobs/attempts/attempts.h"

namespace kml::ui {

/// A row for each attempt; columns that nothing is known for are left out.
void print_attempts(const Streams& streams, std::span<const jobs::Attempt> attempts, Time now);

/// All that is known of them; `preemptedBy` of a preempted one is "unknown" where nobody saw it.
Json to_json(std::span<const jobs::Attempt> attempts);

}  // namespace kml::ui
