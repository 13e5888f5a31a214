#pragma once

#include <span>
#include <string>

#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/job/accounting/gpu_usage.h"

namespace kml::ui {

/// GPU hours with enough digits for small amounts: "49.6", "0.0042".
std::string gpu_hours_text(double hours);

/// The hours lost to preemptions and evictions: "3.9", or "1.2-3.9" if it is unknown how much of the work was
/// kept, or "-" if the hours are unknown.
std::string lost_hours_text(const job::UsageSum& sum);
/// The share of the GPU time for which data exists: "92 %", or "-" if no GPU time was wanted.
std::string covered_text(const job::UsageSum& sum);

/// Prints a row for each sum, and the total if there are several sums. "-" means unknown; "1.2-3.9" means
/// that the number is in this range.
void print_usage(const Streams& streams, std::span<const job::UsageSum> sums, const job::UsageSum& total,
                 std::span<const std::string> keys);

/// Like print_usage(), but as CSV and without the total. Unknown numbers are empty.
void print_usage_csv(const Streams& streams, std::span<const job::UsageSum> sums,
                     std::span<const std::string> keys);

/// GPU hours as JSON; null if unknown. "unclear" are the hours of preempted pods whose work may or may not be
/// lost.
Json to_json(const job::UsageSum& sum, std::span<const std::string> keys);

}  // namespace kml::ui
