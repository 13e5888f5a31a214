#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kml::local {

/// The completion indexes of a Job as ranges. The indexes of 100,000 tasks usually form a few ranges, so no
/// operation visits each index.
class IndexRanges {
 public:
  /// Parses the format that Kubernetes uses: "0,2-5".
  static IndexRanges parse(std::string_view text);
  std::string text() const;

  void add(int index);
  int count() const { return count_; }
  /// The first index, starting from this one, that is not in the ranges.
  int next_missing(int index) const;

 private:
  std::map<int, int> last_by_first_;
  int count_ = 0;
};

}  // namespace kml::local
