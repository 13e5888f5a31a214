#include "local/controllers/index_ranges.h"

#include <cstdlib>
#include <iterator>

#include "kml/base/text.h"

namespace kml::local {

IndexRanges IndexRanges::parse(std::string_view text) {
  IndexRanges ranges;
  if (text.empty()) return ranges;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const int first = std::atoi(part.c_str());
    const int last = dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1);
    ranges.last_by_first_.emplace_hint(ranges.last_by_first_.end(), first, last);
    ranges.count_ += last - first + 1;
  }
  return ranges;
}

std::string IndexRanges::text() const {
  std::string text;
  for (const auto& [first, last] : last_by_first_) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
  }
  return text;
}

void IndexRanges::add(int index) {
  if (next_missing(index) != index) return;
  ++count_;
  auto after = last_by_first_.upper_bound(index);
  int last = index;
  if (after != last_by_first_.end() && after->first == index + 1) {
    last = after->second;
    after = last_by_first_.erase(after);
  }
  if (after != last_by_first_.begin() && std::prev(after)->second == index - 1)
    std::prev(after)->second = last;
  else
    last_by_first_.emplace_hint(after, index, last);
}

int IndexRanges::next_missing(int index) const {
  const auto after = last_by_first_.upper_bound(index);
  if (after == last_by_first_.begin()) return index;
  const int last = std::prev(after)->second;
  return last < index ? index : last + 1;
}

}  // namespace kml::local
