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
  double value;  ///< any number, NaN too
  double step;
  bool is_of_earlier_step = false;  ///< see JobReport
};

/// Reads a job's metrics from the lines of one log, beginning with its first line. To read another log, copy
/// an unused reader.
class MetricReader {
 public:
  /// `resource` names the metric that counts steps. If a line does not have it, uses "step", "epoch" and
  /// similar names, or the resource in words: "Epoch 3/10", "Epoch 3:" (in any case). If a line has none of
  /// these, its values belong to the last reported step, or between that and the next one. If no step was
  /// reported at all, the values are numbered. With filters (RE2), reads only their matches. Always reads the
  /// `wanted` metrics. Throws usage Error for an invalid filter.
  ///
  /// If `reads_events`, reads only lines with parts of TensorFlow event files (see event_mark.h). A scalar's
  /// name is its tag, or the wanted metric that it is meant for: "test/accuracy" is also the tag "accuracy"
  /// in files of a folder "test", as in Katib.
  MetricReader(std::string resource, const std::vector<std::string>& filters,
               const std::vector<std::string>& wanted = {}, bool reads_events = false);

  /// If `is_open`, the next line may replace this one, as in a progress bar. Only the last values of a bar
  /// are used: before that, it shows the loss of a batch as if it were the epoch's, and the validation loss
  /// of the previous epoch. The last values are returned once a new step or the end of the line arrives. An
  /// empty line ends the previous one.
  std::vector<ReportedMetric> read(std::string_view line, bool is_open = false);

 private:
  /// The values of a line and of the lines that it replaced.
  struct Shown {
    std::vector<std::pair<std::string, double>> metrics = {};
    std::optional<double> step = {};
    bool is_resource = false;  ///< whether the step is one of `resource`
    std::optional<job::LinePlace> place = {};
  };
  /// The step of a metric's last value, and how many further values it had since the last reported step.
  struct Last {
    double step = 0;
    std::optional<double> told = {};
    double values = 0;
  };
  /// The greatest steps of a metric's lines so far.
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
  job::MetricNames wanted_;
  bool reads_events_;
  std::map<std::string, EventFile, std::less<>> files_;  ///< event files by path
  std::map<std::string, Last> last_;                     ///< by metric
  std::map<std::string, Reached> reached_;               ///< by metric
  job::LinePlaces places_;
  std::optional<double> told_;
  Shown open_;                     ///< not reported yet
  bool is_resource_told_ = false;  ///< if so, ignores steps in other units
};

}  // namespace kml::engine
