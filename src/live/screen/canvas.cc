#include "live/screen/canvas.h"

#include <algorithm>

#include "kml/base/clean.h"
#include "kml/base/text.h"
#include "kml/ui/table.h"

namespace kml::live {

namespace {

/// Characters that change the direction or the position of other characters, and could make one name look
/// like another.
bool steers_text(char32_t character) {
  return (character >= 0x200B && character <= 0x200F) || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2060 && character <= 0x2069) || character == 0xFEFF;
}

/// Splits a cleaned text into characters and SGR codes.
struct Piece {
  std::string_view text;
  char32_t value = 0;
  bool is_code = false;
};

Piece next_piece(std::string_view text) {
  if (text.starts_with("\x1B[")) {
    const size_t end = text.find_first_not_of("0123456789;:", 2);
    return {text.substr(0, end == std::string_view::npos ? text.size() : end + 1), 0, true};
  }
  const CodePoint point = first_code_point(text).value_or(CodePoint{0xFFFD, 1});
  return {text.substr(0, point.bytes), point.value};
}

std::string joined(std::string_view a, std::string_view b) {
  std::string both(a);
  if (!both.empty() && !b.empty()) both += ';';
  return both += b;
}

/// The style after an SGR code.
std::string styled_after(std::string_view code, const std::string& before, std::string_view base) {
  const std::string_view parameters = code.substr(2, code.size() - 3);
  if (parameters.empty() || parameters == "0") return std::string(base);
  if (parameters.starts_with("0;")) return joined(base, parameters.substr(2));
  constexpr size_t kLongest = 64;
  return before.size() > kLongest ? before : joined(before, parameters);
}

/// The parameters that are not colors.
std::string without_colour(const std::string& style) {
  std::string kept;
  for (const std::string& parameter : split(style, ';'))
    if (parameter == "1" || parameter == "2" || parameter == "4" || parameter == "7")
      kept = joined(kept, parameter);
  // In "38;5;1", the numbers 5 and 1 are part of a color.
  return contains(style, "38;") || contains(style, "48;") ? "" : kept;
}

}  // namespace

size_t Canvas::put(size_t row, size_t column, std::string_view text, std::string_view style, size_t end) {
  end = std::min(end, columns_);
  if (row >= rows_ || column >= end) return column;
  const std::string cleaned = ui::cut_line(clean(text), end - column);
  std::string current(style);
  const size_t begin = column;
  for (std::string_view rest = cleaned; !rest.empty();) {
    const Piece piece = next_piece(rest);
    rest.remove_prefix(piece.text.size());
    if (piece.is_code) {
      current = styled_after(piece.text, current, style);
      continue;
    }
    if (steers_text(piece.value)) continue;
    const bool is_space = piece.text == "\t" || piece.text == "\n";
    const size_t width = is_space ? 1 : columns_of(piece.value);
    if (width == 0 && column > begin) {
      constexpr size_t kLongest = 32;
      Cell& cell = at(row, column - 1).text.empty() ? at(row, column - 2) : at(row, column - 1);
      if (cell.text.size() < kLongest) cell.text += piece.text;
    }
    if (width == 0 || column + width > end) continue;
    put_character(row, column, is_space ? " " : piece.text, width, current);
    column += width;
  }
  return column;
}

void Canvas::put_character(size_t row, size_t column, std::string_view character, size_t width,
                           const std::string& style) {
  at(row, column) = {std::string(character), style};
  for (size_t i = 1; i < width; ++i) at(row, column + i) = {"", style};
}

void Canvas::add_style(size_t row, std::string_view style) {
  for (size_t column = 0; row < rows_ && column < columns_; ++column)
    at(row, column).style = joined(at(row, column).style, style);
}

std::vector<std::string> Canvas::text() const {
  std::vector<std::string> lines(rows_);
  for (size_t row = 0; row < rows_; ++row) {
    for (size_t column = 0; column < columns_; ++column) lines[row] += at(row, column).text;
    lines[row].erase(lines[row].find_last_not_of(' ') + 1);
  }
  return lines;
}

std::string difference(const Canvas& before, const Canvas& after, bool colours) {
  /// Writing this many unchanged cells takes no more bytes than moving the cursor.
  constexpr size_t kGap = 6;
  std::string bytes, style;
  const auto differs = [&](size_t row, size_t column) {
    return before.at(row, column) != after.at(row, column);
  };
  const auto write = [&](const Canvas::Cell& cell) {
    const std::string wanted = colours ? cell.style : without_colour(cell.style);
    if (wanted != style) bytes += wanted.empty() ? "\x1B[m" : "\x1B[0;" + wanted + "m";
    style = wanted;
    bytes += cell.text;
  };
  for (size_t row = 0; row < after.rows(); ++row) {
    size_t written = Canvas::kEdge;  // the column after the last written cell
    for (size_t column = 0; column < after.columns(); ++column) {
      if (!differs(row, column)) continue;
      size_t from = column;
      while (from > 0 && after.at(row, from).text.empty()) --from;
      if (written != Canvas::kEdge && from <= written + kGap)
        for (size_t gap = written; gap < from; ++gap) write(after.at(row, gap));
      else
        bytes += "\x1B[" + std::to_string(row + 1) + ";" + std::to_string(from + 1) + "H";
      for (; from <= column; ++from) write(after.at(row, from));
      while (from < after.columns() && after.at(row, from).text.empty()) ++from;
      written = from;
      column = from - 1;
    }
  }
  if (!style.empty()) bytes += "\x1B[m";
  return bytes;
}

}  // namespace kml::live
