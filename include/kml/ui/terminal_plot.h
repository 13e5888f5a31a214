#pragma once

#include <span>
#include <string>
#include <vector>

namespace kml::ui {

/// A row of bars, ▁ to █, from the least value to the largest; "_" to "#" where `utf8` is false. More values
/// than columns are thinned out, the last one stays. Only finite values.
std::string sparkline(std::span<const double> values, size_t columns, bool utf8);

/// Values as a line of steps, in braille dots or asterisks, with its bounds at the left: `rows` lines of at
/// most `columns`. Values that span more than two powers of ten are drawn by their logarithm. No lines where
/// there are less than two values, or no room.
std::vector<std::string> step_plot(std::span<const double> values, size_t columns, size_t rows, bool utf8);

}  // namespace kml::ui
