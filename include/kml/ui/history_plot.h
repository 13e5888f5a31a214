#pragma once

#include <span>
#include <string>
#include <vector>

namespace kml::ui {

struct HistoryPlot {
  size_t width = 72;  ///< columns, with the labels
  size_t height = 10;
  bool maximize = false;
  bool utf8 = true;  ///< else ASCII alone
};

/// A sweep's values in the order in which trials ended, NaN for those without one: the best so far as a line,
/// and each that lies in its range as a dot. Rows of text, the greatest value on top, under them the numbers
/// of the first and last trial, from 1. Empty where there is no finite value.
std::vector<std::string> history_plot(std::span<const double> values, const HistoryPlot& plot = {});

}  // namespace kml::ui
