#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/watching/event_file.h"
#include "kml/base/error.h"
#include "kml/base/pattern.h"
#include "kml/job/logs/line_place.h"
#include "kml/job/logs/metric_line.h"

namespace kml::engine {

struct ReportedMetric {
  std::string name;
  double value;  ///< any number, including NaN
  double step;
  bool is_of_earlier_step = false;  ///< see JobReport
};

/// Reads a job's metrics from the lines of one log, starting with its first line. To read another log, copy a
/// reader that has not read anything.
class MetricReader {
 public:
  /// `resource` is the name of the metric that counts steps. A line without this metric may have "step",
  /// "epoch" or a similar name, or the resource in words: "Epoch 3/10" or "Epoch 3:", in upper or lower case.
  /// The values on a line without any of these belong to the last reported step, or to a point between that
  /// step and the next. If no step was ever reported, the values are numbered.
  ///
  /// With filters (RE2), reads only their matches. Without filters, reads the `wanted` metrics from each line
  /// that contains them, whatever their names. Throws usage Error for an invalid filter. With `reads_events`,
  /// reads only lines with parts of TensorFlow event files (see event_mark.h). The name of a scalar is its
  /// tag, or the wanted metric that the tag stands for: as in Katib, the tag "accuracy" in a file in the
  /// folder "test" also stands for "test/accuracy".
  MetricReader(std::string resource, const std::vector<std::string>& filters,
               const std::vector<std::string>& wanted = {}, bool reads_events = false);

  /// `is_open` means that the next line may replace this one, as in a progress bar. Only a bar's last values
  /// are used: before them, the bar shows the loss of a batch as if it were the epoch's, and the validation
  /// loss of the previous epoch. The last values are returned once a new step or the end of the line arrives.
  /// An empty line also ends the line before it.
  std::vector<ReportedMetric> read(std::string_view line, bool is_open = false);

 private:
  /// The values on a line and on the lines that it replaced.
  struct Shown {
    std::vector<std::pair<std::string, double>> metrics = {};
    std::optional<double> step = {};
    bool is_resource = false;  ///< whether the step is one of `resource`
    std::optional<job::LinePlace> place = {};
  };
  /// The step of a metric's last value, and how many values of the metric have followed since the last
  /// reported step.
  struct Last {
    double step = 0;
    std::optional<double> told = {};
    double values = 0;
  };
  /// The highest steps that the lines with a metric have reached.
  struct Reached {
    std::optional<double> resource = {};
    std::optional<job::LinePlace> place = {};
  };
  std::vector<std::pair<std::string, double>> filtered(std::string_view line) const;
  std::optional<double> step_in_words(std::string_view line) const;
  Shown shown_by(std::string_view line);
  std::vector<ReportedMetric> read_events(std::string_view line);
  std::string name_of(const std::string& tag, std::string_view file) const;
  void tell_open(std::vector<ReportedMetric>& reported);
  double step_untold(const std::string& name);
  bool falls_behind(const std::string& name, const Shown& shown);

  std::string resource_;
  std::shared_ptr<const std::vector<Pattern>> filters_;  ///< shared by all copies
  job::MetricNames asked_;   ///< the `wanted` metrics, which are reported even if they also count steps
  job::MetricNames wanted_;  ///< `asked_` and the metrics that count steps
  bool reads_events_;
  std::map<std::string, EventFile, std::less<>> files_;  ///< event files by path
  std::map<std::string, Last> last_;                     ///< by metric
  std::map<std::string, Reached> reached_;               ///< by metric
  job::LinePlaces places_;
  std::optional<double> told_;
  Shown open_;  ///< the values that are not reported yet
  /// whether `resource` was reported; if so, steps in other units do not change `told_`
  bool is_resource_told_ = false;
};

}  // namespace kml::engine
