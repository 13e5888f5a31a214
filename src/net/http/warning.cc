#include "net/http/warning.h"

#include "kml/base/text.h"

namespace kml::http {

namespace {

/// Removes a quoted string from the front and returns it in `text`. Returns false if there is none.
bool take_quoted(std::string_view& rest, std::string& text) {
  if (!rest.starts_with('"')) return false;
  text.clear();
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest = trim(rest.substr(i + 1));
      return true;
    }
    if (rest[i] == '\\' && ++i == rest.size()) return false;
    text += rest[i];
  }
  return false;
}

std::string_view take_word(std::string_view& rest) {
  const size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest = trim(rest.substr(end));
  return word;
}

}  // namespace

std::vector<std::string> warnings_in(std::string_view header) {
  std::vector<std::string> found;
  for (std::string_view rest = trim(header); !rest.empty();) {
    const std::string_view code = take_word(rest);
    take_word(rest);  // the sender of the warning
    std::string text, date;
    if (code.size() != 3 || !take_quoted(rest, text)) break;
    take_quoted(rest, date);
    if (code == "299" && !text.empty()) found.push_back(std::move(text));
    if (!rest.starts_with(',')) break;
    rest = trim(rest.substr(1));
  }
  return found;
}

}  // namespace kml::http
