#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/streams.h"
#include "kml/job/logs/line_place.h"
#include "kml/job/logs/shown_lines.h"

namespace kml::ui {

/// The metrics in the pods' logs, as a table with a row for each pod, or for each rank if a pod has several.
/// A row has each metric's value at its highest step, and, unless it is a counter, a sparkline of its last
/// values. On a terminal, the table is redrawn in place; in a pipe, it is printed once, at the end.
class MetricsTable {
 public:
  MetricsTable(const Streams& streams, bool with_job) : streams_(streams), with_job_(with_job) {}

  void take(std::span<const job::LogLine> lines);
  /// Draws the table if it has changed, at most four times a second. Does nothing in a pipe.
  void draw();
  /// Erases the table, so that other text can be written.
  void hide();
  /// Prints the final table. Returns whether any metric was found.
  bool finish();

 private:
  struct Row {
    std::string label;
    std::map<std::string, std::vector<std::pair<job::LinePlace, double>>>
        series;  ///< the last values of each metric
  };
  void add(const job::LogSource& source, std::string_view text, bool is_open);
  void print(size_t most_rows);
  bool show_column(const std::string& name);
  std::vector<const Row*> sorted_rows() const;
  std::vector<std::string> fitting_columns() const;

  const Streams& streams_;
  const bool with_job_;
  std::map<const job::LogSource*, job::ShownLines> shown_;
  std::map<std::pair<const job::LogSource*, int>, Row> rows_;
  std::map<std::pair<const job::LogSource*, int>, job::LinePlaces> places_;
  std::vector<std::string> columns_;  ///< names of metrics, in the order of their first values
  bool changed_ = false;
  size_t drawn_ = 0;  ///< how many lines of the table are on the screen
  Time drawn_at_ = {};
};

/// Draws values as "▁▃▅▇": eight heights, from the smallest to the largest value. "×" is NaN or an infinite
/// value.
std::string sparkline(std::span<const double> values);

}  // namespace kml::ui
