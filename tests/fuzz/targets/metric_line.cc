// The numbers in a log line, the last state of a progress bar, and a rank's prefix.
#include "kml/job/logs/metric_line.h"
#include "kml/base/redrawn_line.h"

#include <cmath>

#include "fuzz/input.h"
#include "job/logs/rank_prefix.h"
#include "kml/job/logs/log_lines.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const std::string_view shown = after_carriage_returns(input);
  fuzz::require(shown.find('\r') == std::string_view::npos && shown.size() <= input.size());
  if (const auto prefix = job::rank_prefix(input))
    fuzz::require(prefix->length <= input.size() && prefix->number >= 0);
  for (std::string_view text : {input, shown})
    for (const auto& [name, value] : job::metrics_in(text)) {
      fuzz::require(!name.empty() && std::isfinite(value));
      for (char c : name) fuzz::require(c >= ' ' && c < 0x7f);
    }
  const job::MetricNames wanted = {"loss", "val loss", "valid_0's auc", "=", std::string(40, 'n')};
  for (const auto& metric : job::metrics_in(input, true, wanted)) fuzz::require(!metric.first.empty());
  return 0;
}
