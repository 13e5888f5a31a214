#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kml::local {

/// Completion indexes of a Job, as ranges: the indexes of 100,000 tasks are usually a few ranges, so no
/// operation visits each index.
class IndexRanges {
 public:
  /// Parses Kubernetes' format: "0,2-5".
  static IndexRanges parse(std::string_view text);
  std::string text() const;

  void add(int index);
  int count() const { return count_; }
  /// The first index, from this one on, that is not contained.
  int next_missing(int index) const;

 private:
  std::map<int, int> last_by_first_;
  int count_ = 0;
};

}  // namespace kml::local
