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
#include "kml/jobs/logs/metric_line.h"

namespace kml::jobs {

struct ReportedMetric {
  std::string name;
  double value;  ///< any number, NaN too
  double step;
};

/// Takes a job's metrics out of its log's lines, one log from its first line on. A copy of one that has
/// read nothing reads another log.
class MetricReader {
 public:
  /// `resource` names the metric that counts steps; where a line has none, "step", "epoch" and the like
  /// count, or the resource in words: "Epoch 3/10", "Epoch 3:", in letters of either case. Where it has none
  /// of these either, its values belong to the step told last, or between that and the next; if none was
  /// told, to how many there were. With filters, of RE2's syntax, what they match is read and nothing else.
  /// `wanted` are read whatever else a line has. Throws usage Error for a filter that is not a regular
  /// expression.
  MetricReader(std::string resource, const std::vector<std::string>& filters,
               const std::vector<std::string>& wanted = {});

  /// With `is_open` the next line may stand in its place, as those of a progress bar do, which shows the
  /// first batch's loss as it does the epoch's, and the last validation's through the next epoch: the last
  /// values count, and are told once another step, or the line's end, has come. An empty line ends the one
  /// before.
  std::vector<ReportedMetric> read(std::string_view line, bool is_open = false);

 private:
  /// What a line says, and those that it replaced.
  struct Shown {
    std::vector<std::pair<std::string, double>> metrics = {};
    std::optional<double> step = {};
    bool is_resource = false;  ///< that is what the step counts
  };
  /// The step of a value, and how many followed the first at the step that was told.
  struct Last {
    double step = 0;
    std::optional<double> told = {};
    double values = 0;
  };
  std::vector<std::pair<std::string, double>> filtered(std::string_view line) const;
  std::optional<double> step_in_words(std::string_view line) const;
  Shown shown_by(std::string_view line) const;
  void tell_open(std::vector<ReportedMetric>& reported);
  double step_untold(const std::string& name);

  std::string resource_;
  std::shared_ptr<const std::vector<Pattern>> filters_;  ///< of all its copies
  MetricNames wanted_;
  std::map<std::string, Last> last_;  ///< each metric's
  std::optional<double> told_;
  Shown open_;                     ///< untold yet
  bool is_resource_told_ = false;  ///< steps of another unit say nothing then
};

}  // namespace kml::jobs
