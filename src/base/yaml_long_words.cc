#include "base/yaml_long_words.h"

#include <algorithm>

#include "kml/base/text.h"

namespace kml::yaml {

namespace {

/// Encloses the number of a word.
constexpr char kMark = '\x7F';

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether the character has no meaning in YAML inside a word.
bool is_plain(char c) {
  return is_letter_or_digit(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_' || c == '.';
}

/// The long word that is the whole value of the line's key; empty if there is none.
std::string_view long_word(std::string_view line) {
  constexpr size_t kLong = 64;
  const size_t space = line.rfind(": ");
  if (space == std::string_view::npos || line.size() - space < kLong) return {};
  const std::string_view word = line.substr(space + 2);
  return is_letter_or_digit(word[0]) && std::ranges::all_of(word, is_plain) ? word : std::string_view();
}

}  // namespace

LongWords::LongWords(std::string_view text) {
  if (contains(text, "\\")) {  // an escape may yield the mark
    text_ = text;
    return;
  }
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view word = long_word(line);
    text_ += line.substr(0, line.size() - word.size());
    if (!word.empty()) {
      text_ += kMark + std::to_string(words_.size()) + kMark;
      words_.push_back(word);
    }
    text.remove_prefix(line.size());
    if (text.empty()) return;
    text_ += '\n';
    text.remove_prefix(1);
  }
}

std::string LongWords::restored(const std::string& scalar) const {
  if (words_.empty()) return scalar;
  std::string whole;
  size_t from = 0;
  for (size_t mark; (mark = scalar.find(kMark, from)) != std::string::npos;) {
    const size_t end = scalar.find(kMark, mark + 1);
    whole.append(scalar, from, mark - from);
    whole += words_.at(std::stoul(scalar.substr(mark + 1, end - mark - 1)));
    from = end + 1;
  }
  return whole + scalar.substr(from);
}

}  // namespace kml::yaml
