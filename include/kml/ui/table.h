#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/streams.h"

namespace kml::ui {

enum class Style { plain, bold, dim, red, green, yellow, blue, magenta, cyan };

/// The text in that style, with SGR codes; as it is where `colours` is false.
std::string styled(std::string_view text, Style style, bool colours);

/// Columns that a terminal shows a UTF-8 text in; each code point counts as one.
size_t display_width(std::string_view text);

/// The text in at most `width` columns, with "…" where it was cut.
std::string cut_to(std::string_view text, size_t width);

struct Cell {
  std::string text;
  Style style = Style::plain;
};

/// Rows under a header, two spaces between columns, as kubectl prints them. On a terminal the last column is
/// cut at its edge. Cells are cleaned of control characters.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  void print(const Streams& streams, bool with_header = true) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace kml::ui
