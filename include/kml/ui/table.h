#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/streams.h"

namespace kml::ui {

/// "0.9731": enough digits to tell values apart.
std::string number_text(double value);

enum class Style { plain, bold, dim, red, green, yellow, blue, magenta, cyan };

/// The text in that style, with SGR codes; as it is where `colours` is false.
std::string styled(std::string_view text, Style style, bool colours);

/// Columns that a terminal shows a UTF-8 text in; a byte that is none counts as one.
size_t display_width(std::string_view text);

/// The text in at most `width` columns, with "…" where it was cut, or "~" where the locale is not UTF-8.
std::string cut_to(std::string_view text, size_t width);
/// The same for a line with SGR codes, which take no columns; a style that is open at the cut is ended there.
std::string cut_line(std::string_view line, size_t width);
/// What "; " separates, in lines of at most `width` columns where that can be; 0: in one line.
std::vector<std::string> wrapped(std::string_view text, size_t width);

/// Whether the locale of the environment takes UTF-8: LC_ALL, LC_CTYPE and LANG; it does where none is set.
bool locale_is_utf8();

/// What a cell shows of a text: "-" where it is empty.
std::string or_dash(const std::string& text);

/// The same streams for a table that is wide on purpose: no line of it is cut.
Streams uncut(Streams streams);

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
  /// Columns that a narrow terminal goes without, the least needed first.
  void may_drop(std::vector<std::string> columns) { may_drop_ = std::move(columns); }
  void print(const Streams& streams, bool with_header = true) const;

 private:
  std::vector<size_t> widths(bool with_header) const;
  /// Which columns are printed.
  std::vector<bool> fitting_columns(const Streams& streams, const std::vector<size_t>& widths) const;

  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> may_drop_;
};

}  // namespace kml::ui
