#include "kml/ui/terminal_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kml/ui/sweep_table.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// As many values as there are places, the last one among them.
std::vector<double> resampled(std::span<const double> values, size_t places) {
  std::vector<double> taken;
  for (size_t i = 0; i < places; ++i)
    taken.push_back(values[((i + 1) * values.size() + places - 1) / places - 1]);
  return taken;
}

/// From 0, the least, to 1; all alike are in the middle.
std::vector<double> heights(const std::vector<double>& values, bool by_logarithm) {
  const auto scaled = [&](double value) { return by_logarithm ? std::log(value) : value; };
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = scaled(*least), span = scaled(*most) - low;
  std::vector<double> heights;
  for (const double value : values) heights.push_back(span > 0 ? (scaled(value) - low) / span : 0.5);
  return heights;
}

/// Dots that are on or off, two by four in a character, or one.
class Canvas {
 public:
  Canvas(size_t columns, size_t rows, bool braille)
      : wide_(braille ? 2 : 1), high_(braille ? 4 : 1), columns_(columns), cells_(columns * rows) {}

  size_t width() const { return columns_ * wide_; }
  size_t height() const { return cells_.size() / columns_ * high_; }
  void set(size_t x, size_t y) {
    // The dots' bits, by row and column: Unicode, block Braille Patterns.
    constexpr std::array<std::array<unsigned char, 2>, 4> kBits = {
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    cells_[y / high_ * columns_ + x / wide_] |= kBits[y % high_][x % wide_];
  }
  std::string row(size_t row) const {
    std::string text;
    for (size_t i = row * columns_; i < (row + 1) * columns_; ++i) {
      const unsigned char cell = cells_[i];
      if (high_ == 1 || cell == 0)
        text += cell ? '*' : ' ';
      else  // U+2800 + cell
        text += {'\xE2', static_cast<char>(0xA0 | cell >> 6), static_cast<char>(0x80 | (cell & 0x3F))};
    }
    return text;
  }

 private:
  size_t wide_, high_, columns_;
  std::vector<unsigned char> cells_;
};

void draw_steps(Canvas& canvas, const std::vector<double>& heights) {
  size_t before = 0;
  for (size_t x = 0; x < canvas.width(); ++x) {
    const auto y =
        static_cast<size_t>(std::lround((1 - heights[x]) * static_cast<double>(canvas.height() - 1)));
    if (x == 0) before = y;
    for (size_t between = std::min(before, y); between <= std::max(before, y); ++between)
      canvas.set(x, between);
    before = y;
  }
}

}  // namespace

std::string sparkline(std::span<const double> values, size_t columns, bool utf8) {
  constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<const char*, 8> kPlain = {"_", ".", "-", "=", "+", "o", "*", "#"};
  if (values.empty()) return {};
  std::string text;
  for (const double height : heights(resampled(values, std::min(columns, values.size())), false))
    text += (utf8 ? kBars : kPlain)[static_cast<size_t>(std::lround(height * 7))];
  return text;
}

std::vector<std::string> step_plot(std::span<const double> values, size_t columns, size_t rows, bool utf8) {
  if (values.size() < 2) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string low = number_text(*least), high = number_text(*most);
  const size_t margin = std::max(low.size(), high.size()) + 2;
  if (columns < margin + 8 || rows < 2) return {};

  Canvas canvas(columns - margin, rows, utf8);
  draw_steps(canvas, heights(resampled(values, canvas.width()), *least > 0 && *most / *least > 100));
  std::vector<std::string> lines;
  for (size_t row = 0; row < rows; ++row) {
    std::string label = row == 0 ? high : row + 1 == rows ? low : "";
    label.insert(0, margin - 2 - label.size(), ' ');
    std::string line = label + (utf8 ? label.back() == ' ' ? " │" : " ┤" : " |") + canvas.row(row);
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace kml::ui
