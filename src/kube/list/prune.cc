#include "kube/list/prune.h"

#include <algorithm>

namespace kml::kube {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// The position after the string that begins at the quote at `at`.
size_t end_of_text(std::string_view json, size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '\\')
      ++at;
    else if (json[at] == '"')
      return at + 1;
  }
  return json.size();
}

/// The position after the list or object that begins at `at`.
size_t end_of_value(std::string_view json, size_t at) {
  int depth = 0;
  while (at < json.size()) {
    switch (json[at]) {
      case '"': at = end_of_text(json, at); continue;
      case '[':
      case '{': ++depth; break;
      case ']':
      case '}':
        if (--depth == 0) return at + 1;
        break;
      default: break;
    }
    ++at;
  }
  return json.size();
}

}  // namespace

std::string pruned(std::string_view json, std::span<const std::string_view> keys) {
  std::string kept;
  kept.reserve(json.size() / 2);
  size_t begin = 0;  // the start of the text that is not copied yet
  for (size_t at = json.find('"'); at < json.size(); at = json.find('"', at)) {
    const size_t end = end_of_text(json, at);
    const std::string_view text = json.substr(at + 1, end - at - 2);
    at = end;
    const size_t colon = json.find_first_not_of(kSpace, end);
    if (colon == std::string_view::npos || json[colon] != ':') continue;
    const size_t value = json.find_first_not_of(kSpace, colon + 1);
    if (value == std::string_view::npos || (json[value] != '[' && json[value] != '{')) continue;
    if (std::find(keys.begin(), keys.end(), text) == keys.end()) continue;
    kept += json.substr(begin, value - begin);
    kept += json[value] == '[' ? "[]" : "{}";
    begin = at = end_of_value(json, value);
  }
  kept += json.substr(std::min(begin, json.size()));
  return kept;
}

}  // namespace kml::kube
