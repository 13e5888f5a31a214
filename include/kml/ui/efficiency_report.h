#pragma once

#include "kml/core/json.h"
#include "kml/core/streams.h"
#include "kml/jobs/capacity/efficiency.h"

namespace kml::ui {

/// What was asked for and used, a line each, and a sentence on what to ask for next time.
void print_efficiency(const Streams& streams, const jobs::Efficiency& found);

/// Times in seconds, memory in bytes, CPUs in cores of one pod; null if it is not known.
Json to_json(const jobs::Efficiency& found);

}  // namespace kml::ui
