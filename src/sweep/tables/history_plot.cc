#include "kml/sweep/tables/sweep_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kml/ui/table.h"

namespace kml::ui {

namespace {

struct Marks {
  const char *edge, *line, *dot, *corner;
};
constexpr Marks kUtf8 = {"│", "━", "·", "└"}, kAscii = {"|", "=", ".", "+"};

std::vector<double> best_so_far(std::span<const double> values, bool maximize) {
  std::vector<double> best;
  for (const double value : values) {
    const double before = best.empty() ? NAN : best.back();
    const bool counts =
        std::isfinite(value) && (std::isnan(before) || (maximize ? value > before : value < before));
    best.push_back(counts ? value : before);
  }
  return best;
}

std::string padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

}  // namespace

std::vector<std::string> history_plot(std::span<const double> values, const HistoryPlot& plot) {
  const std::vector<double> best = best_so_far(values, plot.maximize);
  const auto first =
      std::find_if(best.begin(), best.end(), [](double value) { return std::isfinite(value); });
  if (first == best.end()) return {};
  const auto [low, high] = std::minmax(*first, best.back());
  const std::string top = number_text(high), bottom = number_text(low);
  const size_t margin = std::max(display_width(top), display_width(bottom)) + 1;
  const size_t columns = std::min(values.size(), std::max<size_t>(plot.width, margin + 10) - margin - 1);
  const auto row_of = [&, low = low, high = high](double value) {
    const double part = high > low ? (high - value) / (high - low) : 0;
    return static_cast<size_t>(std::lround(part * static_cast<double>(plot.height - 1)));
  };
  const Marks& marks = plot.utf8 ? kUtf8 : kAscii;
  std::vector<std::vector<const char*>> cells(plot.height, std::vector<const char*>(columns, " "));
  const auto column_of = [&](size_t trial) { return trial * columns / values.size(); };
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] >= low && values[i] <= high) cells[row_of(values[i])][column_of(i)] = marks.dot;
  for (size_t i = 0; i < values.size(); ++i)  // each column shows the best value up to the column's end
    if (std::isfinite(best[i]) && (i + 1 == values.size() || column_of(i + 1) > column_of(i)))
      cells[row_of(best[i])][column_of(i)] = marks.line;

  std::vector<std::string> lines;
  for (size_t row = 0; row < plot.height; ++row) {
    const bool is_last = row + 1 == plot.height;
    std::string line = padded(row == 0                ? top
                              : is_last && high > low ? bottom
                                                      : "",
                              margin - 1) +
                       ' ' + marks.edge;
    for (const char* cell : cells[row]) line += cell;
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  const std::string last = std::to_string(values.size());
  lines.push_back(padded("", margin) + marks.corner + "1");
  if (values.size() > 1) lines.back() += padded(last, std::max(columns - 1, last.size() + 1));
  return lines;
}

}  // namespace kml::ui
