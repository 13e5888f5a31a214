#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/core/text.h"

namespace kml::jobs {

/// A Job's completedIndexes or failedIndexes: "0,2-5", in rising order.
class IndexRanges {
 public:
  IndexRanges() = default;
  explicit IndexRanges(std::string_view text) {
    if (text.empty()) return;
    for (const std::string& part : split(text, ',')) {
      const size_t dash = part.find('-');
      const int first = std::atoi(part.c_str());
      ranges_.emplace_back(first, dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1));
    }
  }

  bool contains(int index) const {
    const auto range = std::lower_bound(ranges_.begin(), ranges_.end(), index,
                                        [](const auto& each, int value) { return each.second < value; });
    return range != ranges_.end() && range->first <= index;
  }

 private:
  std::vector<std::pair<int, int>> ranges_;
};

}  // namespace kml::jobs
