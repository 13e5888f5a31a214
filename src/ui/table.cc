#include "kml/ui/table.h"

#include <algorithm>
#include <cctype>
#include <ostream>

#include "kml/core/files.h"
#include "kml/ui/clean.h"

namespace kml::ui {

namespace {

std::string_view sgr(Style style) {
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

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

std::string styled(std::string_view text, Style style, bool colours) {
  if (!colours || style == Style::plain || text.empty()) return std::string(text);
  return "\x1B[" + std::string(sgr(style)) + "m" + std::string(text) + "\x1B[0m";
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string cut_to(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  size_t end = 0;
  for (size_t columns = 0; end < text.size(); ++end)
    if (starts_code_point(text[end]) && columns++ == width - 1) break;
  return std::string(text.substr(0, end)) + (locale_is_utf8() ? "…" : "~");
}

bool locale_is_utf8() {
  static const bool is_utf8 = [] {
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
      if (std::string value = environment(variable); !value.empty()) {
        std::transform(value.begin(), value.end(), value.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        return value.find("utf-8") != value.npos || value.find("utf8") != value.npos;
      }
    return true;
  }();
  return is_utf8;
}

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) {
    cell.text = clean(cell.text);
    std::replace(cell.text.begin(), cell.text.end(), '\n', ' ');
  }
  rows_.push_back(std::move(row));
}

std::vector<size_t> Table::widths(bool with_header) const {
  std::vector<size_t> widths(header_.size());
  for (size_t i = 0; i < header_.size(); ++i) {
    if (with_header) widths[i] = header_[i].size();
    for (const auto& row : rows_)
      if (i < row.size()) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  return widths;
}

std::vector<bool> Table::fitting_columns(const Streams& streams, const std::vector<size_t>& widths) const {
  constexpr size_t kLeastOfLast = 16;
  std::vector<bool> fits(header_.size(), true);
  if (!streams.out_is_terminal || streams.width <= 0 || header_.empty()) return fits;
  size_t needed = std::min(widths.back(), kLeastOfLast);
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

void Table::print(const Streams& streams, bool with_header) const {
  const std::vector<size_t> widths = this->widths(with_header);
  const std::vector<bool> fits = fitting_columns(streams, widths);
  auto print_row = [&](const std::vector<Cell>& row) {
    size_t column = 0;
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (!fits[i]) continue;
      bool last = i + 1 == row.size();
      std::string text = row[i].text;
      if (last && streams.out_is_terminal && streams.width > 0)
        text = cut_to(text, std::max<size_t>(8, static_cast<size_t>(streams.width) -
                                                    std::min(column, static_cast<size_t>(streams.width))));
      line += styled(text, row[i].style, streams.colours);
      if (!last) line += std::string(widths[i] - display_width(text) + 2, ' ');
      column += widths[i] + 2;
    }
    // An empty last cell leaves no spaces behind.
    line.erase(line.find_last_not_of(' ') + 1);
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
