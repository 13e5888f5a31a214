#include "net/s3/xml.h"

#include <algorithm>

namespace kml::s3 {

namespace {

/// Removes the reference at the start of the text, and returns the character for which it stands. A "&" that
/// starts no known reference stands for itself.
char take_reference(std::string_view& text) {
  constexpr std::pair<std::string_view, char> kReferences[] = {
      {"&lt;", '<'},    {"&gt;", '>'},   {"&quot;", '"'}, {"&#34;", '"'},
      {"&apos;", '\''}, {"&#39;", '\''}, {"&amp;", '&'}};
  for (const auto& [reference, character] : kReferences)
    if (text.starts_with(reference)) {
      text.remove_prefix(reference.size());
      return character;
    }
  text.remove_prefix(1);
  return '&';
}

}  // namespace

std::vector<std::string_view> xml_elements(std::string_view xml, std::string_view tag, size_t most) {
  const std::string begin = "<" + std::string(tag), end = "</" + std::string(tag) + ">";
  std::vector<std::string_view> found;
  size_t close = 0, last = 0;  // each is searched for again only once `at` has passed it
  for (size_t at = 0; found.size() < most && (at = xml.find(begin, at)) != std::string_view::npos;) {
    const size_t after = at + begin.size();
    if (close < after) close = xml.find('>', after);
    if (last < after) last = xml.find(end, after);
    if (close == std::string_view::npos || last == std::string_view::npos) break;
    at = after;
    // Skips longer names that start with the tag. After the name, a blank and attributes may follow.
    if (last < close || (xml[after] != '>' && xml[after] != ' ')) continue;
    found.push_back(xml.substr(close + 1, last - close - 1));
    at = last + end.size();
  }
  return found;
}

std::string xml_text(std::string_view xml, std::string_view tag) {
  const std::vector<std::string_view> found = xml_elements(xml, tag, 1);
  std::string_view rest = found.empty() ? std::string_view() : found[0];
  std::string text;
  while (!rest.empty()) {
    const std::string_view plain = rest.substr(0, rest.find('&'));
    text += plain;
    rest.remove_prefix(plain.size());
    if (!rest.empty()) text += take_reference(rest);
  }
  return text;
}

}  // namespace kml::s3
