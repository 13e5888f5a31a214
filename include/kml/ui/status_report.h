#pragma once

#include <span>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/core/streams.h"

namespace kml::ui {

/// Everything that a person asks about one job. `events` are those of the job itself.
void print_status(const Streams& streams, const Json& job, std::span<const Json* const> pods,
                  const std::vector<Json>& events, Time now);

}  // namespace kml::ui
