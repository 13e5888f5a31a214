#include "kml/engine/journal/telling_line.h"

#include <algorithm>

#include "kml/base/pattern.h"
#include "kml/base/text.h"

namespace kml::engine {

namespace {

/// Matches "ValueError: bad config: {", "__main__.run.<locals>.Stop" and "KeyboardInterrupt".
bool begins_exception(const std::string& line) {
  static const Pattern pattern(R"(\A[A-Za-z_][\w.<>]*(?:: .*|:)?\s*\z)");
  return pattern.matches(line);
}

/// Whether the program continued after the exception. If an exception ends the program, Python prints nothing
/// after it, and the exit code is 1.
bool is_caught(const std::vector<std::string>& lines, size_t exception, std::string_view cause) {
  constexpr std::string_view kCode = "exit code ";
  const size_t at = cause.find(kCode);
  if (at == std::string_view::npos || cause.substr(at) == "exit code 1") return false;
  return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(exception) + 1, lines.end(),
                     [](const std::string& line) { return !trim(line).empty(); });
}

/// Whether the line is more than brackets or a ruler, such as the end of a printed dictionary.
bool has_words(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
  });
}

}  // namespace

std::string telling_line(const std::vector<std::string>& last_lines, std::string_view cause) {
  // In a traceback, all lines of frames are indented; the next line names the exception.
  for (size_t i = last_lines.size(); i-- > 1;)
    if (last_lines[i - 1].starts_with("    ") && begins_exception(last_lines[i])) {
      if (is_caught(last_lines, i, cause)) break;
      return last_lines[i];
    }
  const auto last = std::find_if(last_lines.rbegin(), last_lines.rend(),
                                 [](const std::string& line) { return !trim(line).empty(); });
  return last == last_lines.rend() || !has_words(*last) ? "" : *last;
}

}  // namespace kml::engine
