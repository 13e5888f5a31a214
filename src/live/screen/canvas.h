#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kml::live {

/// The cells of a full screen. Text is cleaned when it is put here, because names and logs may contain codes
/// that a terminal obeys. Only difference() makes such codes.
class Canvas {
 public:
  struct Cell {
    std::string text = " ";  ///< a character with its combining marks; empty right of a wide character
    std::string style = {};  ///< SGR parameters, such as "1;31"
    bool operator==(const Cell&) const = default;
  };
  static constexpr size_t kEdge = static_cast<size_t>(-1);

  Canvas(size_t rows, size_t columns) : rows_(rows), columns_(columns), cells_(rows * columns) {}

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  /// Writes text. Text that would reach the column `end` is cut off, and ends with "…". The text may contain
  /// SGR codes, which are added to `style`. Returns the column after the text.
  size_t put(size_t row, size_t column, std::string_view text, std::string_view style = {},
             size_t end = kEdge);
  /// Adds a style to all cells of a row, such as "7" for reverse video.
  void add_style(size_t row, std::string_view style);
  const Cell& at(size_t row, size_t column) const { return cells_[row * columns_ + column]; }
  /// The rows as text, without spaces at their ends.
  std::vector<std::string> text() const;

 private:
  Cell& at(size_t row, size_t column) { return cells_[row * columns_ + column]; }
  void put_character(size_t row, size_t column, std::string_view character, size_t width,
                     const std::string& style);

  size_t rows_, columns_;
  std::vector<Cell> cells_;
};

/// The bytes that turn the first screen into the second one, which has the same size. Writes little more than
/// the cells that differ. Without colors, only keeps bold, dim, underlined and reverse text.
std::string difference(const Canvas& before, const Canvas& after, bool colours);

}  // namespace kml::live
