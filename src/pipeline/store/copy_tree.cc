#include "pipeline/store/copy_tree.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/trees/tree_entries.h"
#include "pipeline/trees/tree_modes.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kAllMayRead = 0644, kAllMayRun = 0755;

/// A temporary path next to `path`, on the same disk.
fs::path place_beside(const fs::path& path) {
  return path.parent_path() / ("." + path.filename().string() + "." + random_hex(4) + ".tmp");
}

void copy_entry(const fs::path& from, const TreeEntry& entry, const fs::path& to) {
  std::error_code failure;
  if (S_ISLNK(entry.at.st_mode))
    fs::create_symlink(entry.target, to, failure);
  else if (S_ISDIR(entry.at.st_mode))
    fs::create_directory(to, failure);
  else
    fs::copy_file(from, to, failure);
  if (failure) throw system_error("cannot write " + to.string(), failure.value());
  if (S_ISREG(entry.at.st_mode)) ::chmod(to.c_str(), entry.at.st_mode & S_IXUSR ? kAllMayRun : kAllMayRead);
}

/// Moves the new tree to its place, or exchanges it with the old one, so that one of the two exists at any
/// moment.
void put_in_place(const fs::path& made, const fs::path& to, bool replaces) {
  if (rename_to_free(made, to)) return;
  if (errno != EEXIST) throw system_error("cannot write " + to.string(), errno);
  if (!replaces) throw usage_error(to.string() + " already exists", "", "--force replaces it");
  if (!exchange_names(made, to)) throw system_error("cannot replace " + to.string(), errno);
  remove_tree(made);
}

}  // namespace

Error changed_after_made(const fs::path& artifact) {
  return {ErrorCode::failure, artifact.string() + " was changed after it was made", "",
          "make it again, for example with `kml run FILE`"};
}

void copy_tree(const fs::path& from, const std::string& digest, const fs::path& to, bool replaces) {
  struct stat ignored {};
  if (!replaces && ::lstat(to.c_str(), &ignored) == 0)
    throw usage_error(to.string() + " already exists", "", "--force replaces it");
  if (!to.parent_path().empty() && !fs::is_directory(to.parent_path()))
    throw usage_error("no folder " + to.parent_path().string(), "",
                      "mkdir -p " + shell_quoted(std::vector{to.parent_path().string()}));
  const fs::path made = place_beside(to);
  try {
    for (const TreeEntry& entry : entries_of(from))
      copy_entry(place_of(from, entry.path), entry, place_of(made, entry.path));
    if (manifest_of(made).tree.digest != digest) throw changed_after_made(from);
    put_in_place(made, to, replaces);
  } catch (const Error&) {
    remove_tree(made);
    throw;
  }
}

}  // namespace kml::pipeline
