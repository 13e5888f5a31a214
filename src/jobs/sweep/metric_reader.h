#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/pattern.h"
#include "kml/jobs/metric_line.h"

namespace kml::jobs {

struct ReportedMetric {
  std::string name;
  double value;  ///< any number, NaN too
  double step;
};

/// Takes a trial's metrics out of its log's lines, one log from its first line on. A copy of one that has
/// read nothing reads another log.
class MetricReader {
 public:
  /// `resource` names the metric that counts steps; where a line has none, "step", "epoch" and the like
  /// count. Where it has none of these either, its values belong to the step told last, or between that and
  /// the next; if none was told, to how many there were. With filters, of RE2's syntax, what they match
  /// is read and nothing else. `wanted` are read whatever else a line has. Throws usage Error for a filter
  /// that is no regular expression.
  MetricReader(std::string resource, const std::vector<std::string>& filters,
               const std::vector<std::string>& wanted = {});

  std::vector<ReportedMetric> read(std::string_view line);

 private:
  std::vector<std::pair<std::string, double>> filtered(std::string_view line) const;
  double step_untold(const std::string& name);

  std::string resource_;
  std::shared_ptr<const std::vector<Pattern>> filters_;  ///< of all its copies
  MetricNames wanted_;
  std::map<std::string, double> last_;  ///< each metric's step
  std::optional<double> told_;
  bool is_resource_told_ = false;  ///< steps of another unit say nothing then
};

}  // namespace kml::jobs
