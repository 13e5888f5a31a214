#include "local/controllers/index_set.h"

#include <algorithm>
#include <cstdlib>

#include "kml/core/text.h"

namespace kml::local {

std::set<int> parse_indexes(std::string_view text) {
  std::set<int> indexes;
  if (text.empty()) return indexes;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const int first = std::atoi(part.c_str());
    const int last = dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1);
    for (int index = first; index <= last; ++index) indexes.insert(indexes.end(), index);
  }
  return indexes;
}

std::string format_indexes(const std::set<int>& indexes) {
  std::string text;
  for (auto it = indexes.begin(); it != indexes.end();) {
    const int first = *it;
    int last = first;
    while (++it != indexes.end() && *it == last + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
  }
  return text;
}

}  // namespace kml::local
