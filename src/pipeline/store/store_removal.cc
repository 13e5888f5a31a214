#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/system_calls.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/trees/tree_modes.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

/// The entries below a folder that are `depth` levels down. Does not follow links. Leaves out entries that
/// are removed at the same time.
std::vector<fs::path> at_depth(const fs::path& folder, int depth) {
  if (depth == 0) return {folder};
  std::vector<fs::path> found;
  std::error_code ignored;
  if (fs::is_symlink(folder, ignored)) return {};
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    const std::vector<fs::path> below = at_depth(it->path(), depth - 1);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

/// Removes the folders that contained an output, up to the first one that is not empty.
void remove_empty_folders(fs::path folder, int levels) {
  std::error_code not_empty;
  for (; levels > 0 && fs::remove(folder, not_empty); --levels) folder = folder.parent_path();
}

}  // namespace

std::vector<LocalStore::Output> LocalStore::outputs() const {
  constexpr int kRunStepAttemptOutput = 4;
  const fs::path data = folder_ / "data";
  std::vector<Output> outputs;
  for (const fs::path& path : at_depth(data, kRunStepAttemptOutput))
    outputs.push_back({path.lexically_relative(data).begin()->string(), path});
  std::sort(outputs.begin(), outputs.end(), [](const Output& a, const Output& b) { return a.path < b.path; });
  return outputs;
}

std::optional<Time> LocalStore::last_use(const fs::path& path) const {
  struct stat at {};
  if (::stat(stamps_path(path).c_str(), &at) != 0) return {};
  return modification_time(at);
}

/// First renames the output within its folder, because a read-only folder cannot be moved to a different one.
bool LocalStore::remove_output(const fs::path& path, Time since) const {
  constexpr int kRunStepAttempt = 3;
  const fs::path taken = path.parent_path() / (".removed-" + path.filename().string());
  if (::rename(path.c_str(), taken.c_str()) != 0) {
    if (errno == ENOENT) return true;
    throw system_error("cannot remove " + path.string(), errno);
  }
  if (const auto used = last_use(path); used && *used > since) {
    if (::rename(taken.c_str(), path.c_str()) != 0) throw system_error("cannot keep " + path.string(), errno);
    return false;
  }
  const fs::path stamps = stamps_path(path);
  remove_tree(stamps);
  remove_tree(taken);
  remove_empty_folders(stamps.parent_path(), kRunStepAttempt);
  remove_empty_folders(path.parent_path(), kRunStepAttempt);
  return true;
}

}  // namespace kml::pipeline
