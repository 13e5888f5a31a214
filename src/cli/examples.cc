#include "cli/examples.h"

#include "cli/wrap.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// Splits the line as a shell does, but keeps the quotes.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : line) {
    if (c == ' ' && !quote) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    if (c == quote)
      quote = 0;
    else if (!quote && (c == '\'' || c == '"'))
      quote = c;
    words.back() += c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string comment(std::string_view purpose, size_t width) {
  std::string text;
  const std::string lines = wrapped(purpose, width > 4 ? width - 4 : 1);
  for (const std::string& line : split(trim(lines), '\n')) text += "  # " + line + "\n";
  return text;
}

}  // namespace

std::vector<Example> examples_of(const Command& command) {
  std::vector<Example> examples;
  std::string purpose, begun;
  for (const std::string& line : split(command.examples, '\n')) {
    std::string words(trim(line));
    if (words.starts_with("# ")) {
      purpose = words.substr(2);
    } else if (words.ends_with("\\")) {
      begun += std::string(trim(words.substr(0, words.size() - 1))) + " ";
    } else if (!words.empty()) {
      examples.push_back({begun + words, std::exchange(purpose, {})});
      begun.clear();
    }
  }
  return examples;
}

std::string examples_text(const std::vector<Example>& examples, size_t width) {
  std::string text;
  bool had_purpose = false;  // the comment explains only the next line
  for (const Example& example : examples) {
    if (!text.empty() && (had_purpose || !example.purpose.empty())) text += "\n";
    had_purpose = !example.purpose.empty();
    if (!example.purpose.empty()) text += comment(example.purpose, width);
    text += laid_out("  ", shell_words(example.line), width, 6, " \\");
  }
  return text;
}

}  // namespace kml::cli
