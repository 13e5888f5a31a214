#include "kml/ui/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "kml/base/clean.h"
#include "kml/base/files.h"
#include "kml/base/json_number.h"
#include "kml/base/text.h"

namespace kml::ui {

std::string number_text(double value) {
  constexpr double kMostDigits = 1e15;
  if (!std::isfinite(value)) return json_of_number(value).get<std::string>();
  const bool is_whole = value == std::floor(value) && std::abs(value) < kMostDigits;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

namespace {

/// The first character of a non-empty text; if it is invalid, the first byte.
CodePoint first_of(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return {static_cast<unsigned char>(text[0]), 1};
  return first_code_point(text).value_or(CodePoint{'?', 1});
}

/// The length of the SGR code at the start of the text; 0 if there is none.
size_t sgr_end(std::string_view text) {
  if (!text.starts_with("\x1B[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string_view sgr_of(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::bold: return "1";
    case Style::dim: return "2";
    case Style::red: return "31";
    case Style::green: return "32";
    case Style::yellow: return "33";
    case Style::blue: return "34";
    case Style::magenta: return "35";
    case Style::cyan: return "36";
  }
  return "";
}

std::string styled(std::string_view text, Style style, bool colours) {
  if (!colours || style == Style::plain || text.empty()) return std::string(text);
  return "\x1B[" + std::string(sgr_of(style)) + "m" + std::string(text) + "\x1B[0m";
}

size_t display_width(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const CodePoint character = first_of(text);
    columns += columns_of(character.value);
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string cut_to(std::string_view text, size_t width) {
  return cut_line(text, width);
}

std::string cut_line(std::string_view line, size_t width) {
  size_t columns = 0, cut = 0;  // where the mark goes if the line is too long
  bool is_styled = false;
  for (size_t at = 0; at < line.size();) {
    if (const size_t code = sgr_end(line.substr(at)); code > 0) {
      is_styled = true;
      at += code;
      if (columns < width) cut = at;
      continue;
    }
    const CodePoint character = first_of(line.substr(at));
    columns += columns_of(character.value);
    at += character.bytes;
    if (columns < width) cut = at;
    if (columns <= width) continue;
    if (width == 0) return {};
    return std::string(line.substr(0, cut)) + (locale_is_utf8() ? "…" : "~") + (is_styled ? "\x1B[0m" : "");
  }
  return std::string(line);
}

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find("; ");
    const std::string_view part = text.substr(0, end == std::string_view::npos ? end : end + 1);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const bool fits =
        !lines.empty() && (width == 0 || display_width(lines.back()) + 1 + display_width(part) <= width);
    if (fits)
      lines.back() += " " + std::string(part);
    else
      lines.emplace_back(part);
  }
  return lines;
}

bool locale_is_utf8() {
  static const bool is_utf8 = [] {
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
      if (const std::string value = lower(environment(variable)); !value.empty())
        return contains(value, "utf-8") || contains(value, "utf8");
    return true;
  }();
  return is_utf8;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

Streams uncut(Streams streams) {
  streams.width = 0;
  return streams;
}

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) {
    cell.text = clean(cell.text);
    std::replace(cell.text.begin(), cell.text.end(), '\n', ' ');
  }
  row.shrink_to_fit();  // a table may have thousands of rows
  rows_.push_back(std::move(row));
}

std::vector<size_t> Table::widths(bool with_header) const {
  std::vector<size_t> widths(header_.size());
  for (size_t i = 0; i < header_.size(); ++i) {
    if (with_header) widths[i] = display_width(header_[i]);
    for (const auto& row : rows_)
      if (i < row.size()) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  return widths;
}

std::vector<bool> Table::fitting_columns(const Streams& streams, const std::vector<size_t>& widths) const {
  std::vector<bool> fits(header_.size(), true);
  if (!streams.out_is_terminal || streams.width <= 0 || header_.empty()) return fits;
  size_t needed = std::min(widths.back(), least_of_last_);
  for (size_t i = 0; i + 1 < widths.size(); ++i) needed += widths[i] + 2;
  for (const std::string& title : may_drop_) {
    if (needed <= static_cast<size_t>(streams.width)) break;
    const auto column =
        static_cast<size_t>(std::find(header_.begin(), header_.end(), title) - header_.begin());
    if (column + 1 >= header_.size()) continue;
    fits[column] = false;
    needed -= widths[column] + 2;
  }
  return fits;
}

/// Makes the widest columns narrower until the last column has its minimum width. If that is not enough,
/// reduces that minimum, and then the width of the first column, which has the names.
void Table::narrow(size_t width, const std::vector<bool>& fits, std::vector<size_t>& widths) const {
  constexpr size_t kLeast = 5, kLeastOfLast = 8, kLeastOfFirst = 12;
  size_t last = std::min(widths.back(), least_of_last_), needed = last;
  for (size_t i = 0; i + 1 < widths.size(); ++i)
    if (fits[i]) needed += widths[i] + 2;
  while (needed > width) {
    size_t widest = 0;
    for (size_t i = 1; i + 1 < widths.size(); ++i)
      if (fits[i] && widths[i] > kLeast && (widest == 0 || widths[i] > widths[widest])) widest = i;
    const bool is_last_next = widest == 0 && last > kLeastOfLast;
    if (widest == 0 && !is_last_next && (widths.size() == 1 || widths[0] <= kLeastOfFirst)) return;
    --(is_last_next ? last : widths[widest]);
    --needed;
  }
}

void Table::print(const Streams& streams, bool with_header) const {
  std::vector<size_t> widths = this->widths(with_header);
  const std::vector<bool> fits = fitting_columns(streams, widths);
  const bool is_cut = streams.out_is_terminal && streams.width > 0;
  const size_t width = is_cut ? static_cast<size_t>(streams.width) : 0;
  if (is_cut && !header_.empty()) narrow(width, fits, widths);
  auto print_row = [&](const std::vector<Cell>& row) {
    size_t column = 0;
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (!fits[i]) continue;
      bool last = i + 1 == row.size();
      std::string text = row[i].text;
      if (is_cut) text = cut_to(text, last ? width - std::min(column, width) : widths[i]);
      line += styled(text, row[i].style, streams.colours);
      if (!last) line += std::string(widths[i] - display_width(text) + 2, ' ');
      column += widths[i] + 2;
    }
    // If the last cell is empty, no spaces may be left at the end of the line.
    line.erase(line.find_last_not_of(' ') + 1);
    if (is_cut) line = cut_line(line, width);
    streams.out << line << '\n';
  };
  if (with_header) {
    std::vector<Cell> header;
    for (const std::string& title : header_) header.push_back({title, Style::bold});
    print_row(header);
  }
  for (const auto& row : rows_) print_row(row);
}

}  // namespace kml::ui
