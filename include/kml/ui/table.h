#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/streams.h"

namespace kml::ui {

/// A whole number below 10^15 with all its digits, or another number with four significant digits: "0.9731".
/// Also "NaN", "Infinity" and "-Infinity".
std::string number_text(double value);

enum class Style { plain, bold, dim, red, green, yellow, blue, magenta, cyan };

/// The parameters of the style's terminal code (SGR): "31"; empty for plain text.
std::string_view sgr_of(Style style);
/// The text with the style's terminal codes (SGR), if colors are on; otherwise the unchanged text.
std::string styled(std::string_view text, Style style, bool colours);

/// The number of columns that a UTF-8 text takes on a terminal. An invalid byte counts as one column.
size_t display_width(std::string_view text);

/// The text cut to at most `width` columns. A cut is marked with "…", or "~" if the locale is not UTF-8.
std::string cut_to(std::string_view text, size_t width);
/// Like cut_to(), for a line with terminal codes (SGR), which take no columns. Ends a style that is open at
/// the cut.
std::string cut_line(std::string_view line, size_t width);
/// Wraps text at "; " into lines of at most `width` columns where possible. 0 means that the text is not
/// wrapped.
std::vector<std::string> wrapped(std::string_view text, size_t width);

/// Whether the environment's locale (LC_ALL, LC_CTYPE, LANG) is UTF-8; true if none is set.
bool locale_is_utf8();

/// The text, or "-" if it is empty.
std::string or_dash(const std::string& text);

/// The same streams, but without cutting lines, for tables that are intentionally wide.
Streams uncut(Streams streams);

struct Cell {
  std::string text;
  Style style = Style::plain;
};

/// Rows under a header, with two spaces between columns, as kubectl prints them. No line is wider than the
/// terminal: the widest columns are cut, the last one at the right edge. Removes control characters from
/// cells.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  /// Sets the columns that are dropped on a narrow terminal, the least important first, until `least_of_last`
  /// characters of the last column fit.
  void drop_first(std::vector<std::string> columns, size_t least_of_last = 16) {
    may_drop_ = std::move(columns);
    least_of_last_ = least_of_last;
  }
  void print(const Streams& streams, bool with_header = true) const;

 private:
  std::vector<size_t> widths(bool with_header) const;
  /// Which columns are printed.
  std::vector<bool> fitting_columns(const Streams& streams, const std::vector<size_t>& widths) const;
  void narrow(size_t width, const std::vector<bool>& fits, std::vector<size_t>& widths) const;

  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> may_drop_;
  size_t least_of_last_ = 16;
};

}  // namespace kml::ui
