#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kml::cli {

/// One part of a text: words to be wrapped, or an item of a list.
struct Paragraph {
  std::string text;  ///< one line, however it was broken in the source
  bool is_item = false;
};

/// The parts of a description: an empty line separates paragraphs, "- " begins an item, and any other line
/// end is a space, so that a text may be broken in the source where it likes.
std::vector<Paragraph> paragraphs(std::string_view text);

/// The words of `text` on lines of at most `width` columns, each after `indent` spaces. A word is never
/// broken: one that is too long has a line of its own. Ends with a newline.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

/// The same after `first`, which stands at the beginning of the first line.
std::string wrapped_after(const std::string& first, std::string_view text, size_t width, size_t indent);

/// The same of words that may hold spaces; `mark` stands at the end of each line that goes on in the next.
std::string laid_out(const std::string& first, const std::vector<std::string>& words, size_t width,
                     size_t indent, std::string_view mark = "");

/// A description, wrapped, with empty lines between its paragraphs.
std::string wrapped_description(std::string_view text, size_t width);

/// How wide help is: COLUMNS, else the terminal, at most 100, as longer lines are hard to read.
size_t help_width(int terminal_width);

}  // namespace kml::cli
