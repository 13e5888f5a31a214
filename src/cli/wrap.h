#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::cli {

/// A part of a text: a paragraph or a list item.
struct Paragraph {
  std::string text;  ///< the text on one line, without the source's line breaks
  bool is_item = false;
};

/// Splits a description. An empty line separates paragraphs, "- " starts a list item, and any other line
/// break is treated as a space, so the source may break lines anywhere.
std::vector<Paragraph> paragraphs(std::string_view text);

/// The words of `text` in lines of at most `width` columns, each indented by `indent` spaces. A word that is
/// too long gets its own line. The result ends with a newline.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

/// Like wrapped(), with `first` at the start of the first line.
std::string wrapped_after(const std::string& first, std::string_view text, size_t width, size_t indent);

/// Like wrapped_after(), for words that may contain spaces. Appends `mark` to each line that is continued on
/// the next line.
std::string laid_out(const std::string& first, const std::vector<std::string>& words, size_t width,
                     size_t indent, std::string_view mark = "");

/// Wraps a description, with empty lines between its paragraphs.
std::string wrapped_description(std::string_view text, size_t width);

/// The width of help: COLUMNS if it is a positive number, otherwise the terminal's width. At most 100,
/// because longer lines are hard to read.
size_t help_width(int terminal_width);

}  // namespace kml::cli
