#include "s3/xml.h"

#include <algorithm>

namespace kml::s3 {

std::vector<std::string_view> xml_elements(std::string_view xml, std::string_view tag) {
  const std::string begin = "<" + std::string(tag), end = "</" + std::string(tag) + ">";
  std::vector<std::string_view> found;
  for (size_t at = 0; (at = xml.find(begin, at)) != std::string_view::npos;) {
    const size_t after = at + begin.size();
    const size_t close = xml.find('>', at);
    const size_t last = xml.find(end, after);
    at = after;
    // Skips longer names with the same beginning. Attributes may follow after a blank.
    if (close == std::string_view::npos || last == std::string_view::npos || last < close) continue;
    if (xml[after] != '>' && xml[after] != ' ') continue;
    found.push_back(xml.substr(close + 1, last - close - 1));
    at = last + end.size();
  }
  return found;
}

std::string xml_text(std::string_view xml, std::string_view tag) {
  const std::vector<std::string_view> found = xml_elements(xml, tag);
  std::string text(found.empty() ? std::string_view() : found[0]);
  constexpr std::pair<std::string_view, char> kReferences[] = {
      {"&lt;", '<'},    {"&gt;", '>'},   {"&quot;", '"'}, {"&#34;", '"'},
      {"&apos;", '\''}, {"&#39;", '\''}, {"&amp;", '&'}};
  for (const auto& [reference, character] : kReferences)
    for (size_t at = 0; (at = text.find(reference, at)) != std::string::npos; ++at)
      text.replace(at, reference.size(), 1, character);
  return text;
}

}  // namespace kml::s3
