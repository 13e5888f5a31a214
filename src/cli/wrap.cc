#include "cli/wrap.h"

#include <algorithm>

#include "kml/core/files.h"
#include "kml/core/text.h"

namespace kml::cli {

std::vector<Paragraph> paragraphs(std::string_view text) {
  std::vector<Paragraph> parts;
  bool begins = true;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view words = trim(line);
    const bool is_item = words.starts_with("- ");
    if (words.empty())
      begins = true;
    else if (begins || is_item)
      parts.push_back({std::string(is_item ? words.substr(2) : words), is_item}), begins = false;
    else
      parts.back().text += " " + std::string(words);
  }
  return parts;
}

size_t columns_of_text(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const auto character = first_code_point(text);
    columns += character ? columns_of(character->value) : 1;
    text.remove_prefix(character ? character->bytes : 1);
  }
  return columns;
}

std::string wrapped_after(const std::string& first, std::string_view text, size_t width, size_t indent) {
  std::string lines = first;
  size_t column = columns_of_text(first);
  bool is_line_start = true;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const size_t columns = columns_of_text(word);
    if (!is_line_start && column + 1 + columns > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      is_line_start = true;
    }
    lines += (is_line_start ? "" : " ") + word;
    column += columns + (is_line_start ? 0 : 1);
    is_line_start = false;
  }
  return lines + "\n";
}

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  return wrapped_after(std::string(indent, ' '), text, width, indent);
}

std::string wrapped_description(std::string_view text, size_t width) {
  std::string lines;
  for (const Paragraph& part : paragraphs(text)) {
    if (part.is_item) {
      lines += wrapped_after("- ", part.text, width, 2);
    } else {
      if (!lines.empty()) lines += "\n";
      lines += wrapped(part.text, width);
    }
  }
  return lines;
}

size_t help_width(int terminal_width) {
  constexpr int kWidest = 100;
  const std::optional<int> asked = whole_number(environment("COLUMNS"));
  return static_cast<size_t>(std::clamp(asked.value_or(0) > 0 ? *asked : terminal_width, 1, kWidest));
}

}  // namespace kml::cli
