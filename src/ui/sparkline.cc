#include "kml/ui/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace kml::ui {

std::string sparkline(std::span<const double> values, size_t columns, bool utf8) {
  constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<const char*, 8> kPlain = {"_", ".", "-", "=", "+", "o", "*", "#"};
  const size_t count = std::min(columns, values.size());
  if (count == 0) return {};
  std::vector<double> shown;
  for (size_t i = 1; i <= count; ++i) shown.push_back(values[i * values.size() / count - 1]);
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
  const double low = *least, span = *most - low;
  std::string text;
  for (const double value : shown) {
    const double height = span > 0 ? (value - low) / span : 0.5;
    text += (utf8 ? kBars : kPlain)[static_cast<size_t>(std::lround(height * 7))];
  }
  return text;
}

}  // namespace kml::ui
