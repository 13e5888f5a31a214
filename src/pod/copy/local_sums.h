#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "pod/copy/content_sum.h"
#include "pod/copy/local_tree.h"

namespace kml::pod {

/// Checksums of files on this machine. Each one is computed only once, unless it differs from the pod's.
class LocalSums {
 public:
  /// Whether the file at `place` has the checksum that the pod has computed for its copy. Throws Error if the
  /// checksums differ after each attempt.
  bool agree(const CopyEntry& file, const std::filesystem::path& place, const std::string& sum_in_pod,
             SumTool tool);

 private:
  std::map<const CopyEntry*, std::string> sums_;
  std::map<const CopyEntry*, int> mismatches_;
};

}  // namespace kml::pod
