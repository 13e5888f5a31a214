#pragma once

#include <span>
#include <string>

#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/job/accounting/gpu_usage.h"

namespace kml::ui {

/// GPU hours with enough digits for small amounts: "49.6", "0.0042".
std::string gpu_hours_text(double hours);

/// The time lost to preemptions and evictions: "3.9", or "1.2-3.9" if the kept part is unknown.
std::string lost_hours_text(const job::UsageSum& sum);
/// The share of the time that the sources cover, "92 %"; "-" without GPUs.
std::string covered_text(const job::UsageSum& sum);

/// Prints a row for each sum, and their total if there are several. "-" is an unknown number; "1.2-3.9" says
/// that the number is in this range.
void print_usage(const Streams& streams, std::span<const job::UsageSum> sums, const job::UsageSum& total,
                 std::span<const std::string> keys);

/// The same as CSV, without the total. Unknown numbers are empty.
void print_usage_csv(const Streams& streams, std::span<const job::UsageSum> sums,
                     std::span<const std::string> keys);

/// GPU hours, null if unknown; "unclear" are those of preempted pods that may be lost or not.
Json to_json(const job::UsageSum& sum, std::span<const std::string> keys);

}  // namespace kml::ui
