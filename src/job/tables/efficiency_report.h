#pragma once

#include <optional>
#include <string_view>

#include "job/capacity/efficiency.h"
#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/job/accounting/gpu_time.h"

namespace kml::ui {

/// Prints a line for each resource that was requested and used, the GPU hours if `account` is set, and advice
/// for the next request. `what` is "Job" or "Task".
void print_efficiency(const Streams& streams, const job::Efficiency& found,
                      const std::optional<job::JobAccount>& account, std::string_view what);

/// The report as JSON: times in seconds, memory in bytes, CPUs in cores per pod; null if unknown.
Json to_json(const job::Efficiency& found, const std::optional<job::JobAccount>& account = {});

}  // namespace kml::ui
