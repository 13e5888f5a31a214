#include "job/tables/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>

#include "job/logs/rank_prefix.h"
#include "kml/base/text.h"
#include "kml/job/logs/metric_line.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

constexpr size_t kHistory = 12;   ///< how many values a sparkline shows
constexpr size_t kColumns = 12;   ///< how many metrics are shown
constexpr size_t kLiveRows = 20;  ///< a larger table would scroll, and could not be redrawn
constexpr std::chrono::milliseconds kPause{250};

/// Whether the value is not a metric, because it describes the line itself.
bool is_of_line(const std::string& name) {
  constexpr std::array kNames = {"schema", "time", "timestamp", "ts", "pid", "version"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Whether the value needs no curve, because it only counts up.
bool is_counter(const std::string& name) {
  return job::counts_steps(name) || name == "batch";
}

/// Whether the metric is one of those that users look for first.
bool is_watched(const std::string& name) {
  constexpr std::array kWords = {"loss", "acc", "per_second"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return name.find(word) != name.npos; });
}

/// The position of a column. Columns with the same position stay in the order of their first values.
int order_of(const std::string& name) {
  return is_counter(name) ? 0 : is_watched(name) ? 1 : 2;
}

std::string number(double value) {
  if (!std::isfinite(value)) return number_text(value);
  std::array<char, 32> text;
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  const int size = std::snprintf(text.data(), text.size(), is_whole ? "%.0f" : "%.4g", value);
  return {text.data(), static_cast<size_t>(size)};
}

}  // namespace

std::string sparkline(std::span<const double> values) {
  constexpr std::array kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double kMost = std::numeric_limits<double>::max();
  double least = kMost, greatest = -kMost;
  for (const double value : values)
    if (std::isfinite(value)) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  std::string line;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      line += "×";
      continue;
    }
    const double height = greatest > least ? (value / 2 - least / 2) / (greatest / 2 - least / 2) : 0.5;
    line += kHeights[static_cast<size_t>(std::clamp(height * 7.999, 0.0, 7.0))];
  }
  return line;
}

bool MetricsTable::show_column(const std::string& name) {
  if (std::find(columns_.begin(), columns_.end(), name) != columns_.end()) return true;
  const auto place = std::find_if(columns_.begin(), columns_.end(), [&](const std::string& column) {
    return order_of(column) > order_of(name);
  });
  if (place == columns_.end() && columns_.size() == kColumns) return false;
  columns_.insert(place, name);
  if (columns_.size() > kColumns) columns_.pop_back();
  return true;
}

void MetricsTable::take(std::span<const job::LogLine> lines) {
  for (const job::LogLine& line : lines) {
    job::ShownLines& shown = shown_[line.source];
    shown.take(line, [&](std::string_view text, bool is_open) { add(*line.source, text, is_open); });
  }
}

void MetricsTable::add(const job::LogSource& source, std::string_view text, bool is_open) {
  const auto prefix = job::rank_prefix(text);
  if (prefix) text.remove_prefix(prefix->length);
  const auto metrics = job::metrics_in(text, true);
  if (metrics.empty()) return;
  const std::pair key(&source, prefix ? prefix->number : -1);
  const std::optional<job::LinePlace> place = places_[key].of(metrics);
  for (const auto& [name, value] : metrics) {
    if (is_of_line(name) || !show_column(name)) continue;
    Row& row = rows_[key];
    if (row.label.empty())
      row.label = (with_job_ ? source.job + " " : "") + source.label +
                  (prefix ? ":" + std::to_string(prefix->number) : "");
    auto& values = row.series[name];
    if (is_open && !values.empty() && values.back().second == value) continue;
    const job::LinePlace at = place ? *place : values.empty() ? job::LinePlace() : values.back().first;
    const auto is_before = [](const job::LinePlace& a, const auto& b) { return a < b.first; };
    values.insert(std::upper_bound(values.begin(), values.end(), at, is_before), {at, value});
    if (values.size() > kHistory) values.erase(values.begin());
    changed_ = true;
  }
}

std::vector<const MetricsTable::Row*> MetricsTable::sorted_rows() const {
  std::vector<const Row*> rows;
  for (const auto& [key, row] : rows_) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(),
            [](const Row* a, const Row* b) { return natural_less(a->label, b->label); });
  return rows;
}

/// The columns that fit. Others are left out, because a wrapped row could not be redrawn.
std::vector<std::string> MetricsTable::fitting_columns() const {
  size_t width = 3;
  for (const auto& [key, row] : rows_) width = std::max(width, row.label.size());
  std::vector<std::string> columns;
  for (const std::string& name : columns_) {
    width += 2 + std::max<size_t>(name.size(), is_counter(name) ? 8 : kHistory + 10);
    if (streams_.out_is_terminal && !columns.empty() && width > static_cast<size_t>(streams_.width)) break;
    columns.push_back(name);
  }
  return columns;
}

void MetricsTable::print(size_t most_rows) {
  std::vector<Column<const Row*>> columns = {{"POD", [](const Row* row) { return row->label; }}};
  for (const std::string& name : fitting_columns())
    columns.emplace_back(name, [name](const Row* row) -> Cell {
      const auto found = row->series.find(name);
      if (found == row->series.end()) return {"-", Style::dim};
      std::vector<double> values;
      for (const auto& [place, value] : found->second) values.push_back(value);
      return {number(values.back()) + (is_counter(name) ? "" : " " + sparkline(values))};
    });
  std::vector<const Row*> rows = sorted_rows();
  if (rows.size() > most_rows) rows.resize(most_rows);
  const Table table = table_of(columns, rows);
  table.print(streams_);
  const size_t left = rows_.size() > most_rows ? rows_.size() - most_rows : 0;
  if (left > 0) streams_.out << "… and " << left << " more\n";
  drawn_ = 1 + std::min(rows_.size(), most_rows) + (left > 0 ? 1 : 0);
}

void MetricsTable::draw() {
  const Time now = system_clock().now();
  if (!streams_.out_is_terminal || !changed_ || now - drawn_at_ < kPause) return;
  hide();
  print(kLiveRows);
  streams_.out << std::flush;
  changed_ = false;
  drawn_at_ = now;
}

void MetricsTable::hide() {
  if (drawn_ == 0) return;
  streams_.out << AsItIs{fmt::format("\x1B[{}A\r\x1B[J", drawn_)} << std::flush;
  drawn_ = 0;
  changed_ = true;
  drawn_at_ = {};
}

bool MetricsTable::finish() {
  hide();
  if (!rows_.empty()) print(rows_.size());
  drawn_ = 0;
  streams_.out << std::flush;
  return !rows_.empty();
}

}  // namespace kml::ui
