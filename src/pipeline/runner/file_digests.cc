#include "pipeline/runner/file_digests.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/sha256.h"
#include "kml/base/system_calls.h"
#include "pipeline/trees/stamps.h"

namespace kml::pipeline {

std::string settled_stamp(const std::filesystem::path& path) {
  const Time now = file_clock();
  TreeEntry entry{.path = "."};
  if (::stat(path.c_str(), &entry.at) != 0 || !all_changed_before(now, {&entry, 1})) return {};
  return stamp_of(entry.at);
}

std::string FileDigests::of(const std::filesystem::path& file) {
  std::string stamp = settled_stamp(file);
  Known& known = known_[file.string()];
  if (!stamp.empty() && known.stamp == stamp) return known.digest;
  known.stamp.clear();
  known.digest = ::access(file.c_str(), R_OK) != 0 && errno == EACCES ? "unreadable" : sha256_of_file(file);
  known.stamp = std::move(stamp);
  return known.digest;
}

}  // namespace kml::pipeline
