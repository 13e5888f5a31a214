#include "cli/wrap.h"

#include <algorithm>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/ui/table.h"

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

std::string laid_out(const std::string& first, const std::vector<std::string>& words, size_t width,
                     size_t indent, std::string_view mark) {
  std::string lines = first;
  size_t column = ui::display_width(first);
  bool is_line_start = true;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t columns = ui::display_width(words[i]);
    const size_t end = i + 1 == words.size() ? 0 : mark.size();
    if (!is_line_start && column + 1 + columns + end > width) {
      lines += std::string(mark) + "\n" + std::string(indent, ' ');
      column = indent;
      is_line_start = true;
    }
    lines += (is_line_start ? "" : " ") + words[i];
    column += columns + (is_line_start ? 0 : 1);
    is_line_start = false;
  }
  return lines + "\n";
}

std::string wrapped_after(const std::string& first, std::string_view text, size_t width, size_t indent) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return laid_out(first, words, width, indent);
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
