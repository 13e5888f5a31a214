#include "mcp/limits/secret_texts.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "kml/job/submit/secret_text.h"

namespace kml::mcp {

namespace {

bool is_of_name(unsigned char c) {
  return std::isalnum(c) || c == '_' || c == '-' || c == '.';
}

/// The begin of the name before the "=".
size_t begin_of_name(const std::string& text, size_t equals) {
  size_t begin = equals;
  while (begin > 0 && is_of_name(static_cast<unsigned char>(text[begin - 1]))) --begin;
  while (begin < equals && text[begin] == '-') ++begin;
  return begin;
}

/// The end of the value that begins at `begin` in a command line of a shell.
size_t end_of_word(const std::string& text, size_t begin) {
  const bool is_quoted = begin < text.size() && (text[begin] == '\'' || text[begin] == '"');
  size_t end = is_quoted ? text.find(text[begin], begin + 1) : text.find_first_of(" \t\n;&|)'\"`", begin);
  if (is_quoted && end != std::string::npos) ++end;
  return std::min(end, text.size());
}

}  // namespace

SecretTexts without_secrets(const std::string& text) {
  SecretTexts found;
  size_t copied = 0;
  for (size_t equals = text.find('='); equals != std::string::npos; equals = text.find('=', equals + 1)) {
    if (equals < copied) continue;
    const size_t name = begin_of_name(text, equals), value = equals + 1;
    const bool is_whole = text.find_first_not_of('-') == name;
    const size_t end = is_whole ? text.size() : end_of_word(text, value);
    if (!job::is_secret(text.substr(name, equals - name), text.substr(value, end - value)) || end == value)
      continue;
    found.hidden.push_back(text.substr(value, end - value));
    found.text += text.substr(copied, value - copied) + kHidden;
    copied = end;
  }
  found.text += text.substr(copied);
  if (!job::is_secret("", found.text)) return found;
  found.hidden.push_back(text);
  found.text = kHidden;
  return found;
}

}  // namespace kml::mcp
