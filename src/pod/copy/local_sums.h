#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "pod/copy/content_sum.h"
#include "pod/copy/local_tree.h"

namespace kml::pod {

/// The sums of files on this machine, each computed once, as long as the pod's copies have the same.
class LocalSums {
 public:
  /// Whether the file at `place` has the sum that the pod has computed of its copy. Throws Error if it
  /// differs after each attempt.
  bool agree(const CopyEntry& file, const std::filesystem::path& place, const std::string& sum_in_pod,
             SumTool tool);

 private:
  std::map<const CopyEntry*, std::string> sums_;
  std::map<const CopyEntry*, int> mismatches_;
};

}  // namespace kml::pod
