#include "pod/copy/local_sums.h"

#include "pod/copy/common.h"

namespace kml::pod {

bool LocalSums::agree(const CopyEntry& file, const std::filesystem::path& place,
                      const std::string& sum_in_pod, SumTool tool) {
  std::string& own = sums_[&file];
  if (own.empty()) own = local_sum(place, file.size, tool);
  if (own == sum_in_pod) return true;
  if (++mismatches_[&file] == kMostMismatches) throw never_the_same(place.string(), tool);
  own.clear();
  return false;
}

}  // namespace kml::pod
