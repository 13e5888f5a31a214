#include "pipeline/trees/tree_modes.h"

#include <cerrno>
#include <map>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kModeBits = 07777, kReadBits = 0555;

/// Makes folders writable, because names can only be removed from a writable folder.
void make_folders_writable(const fs::path& place) {
  struct stat at {};
  if (::lstat(place.c_str(), &at) != 0 || !S_ISDIR(at.st_mode)) return;
  if ((at.st_mode & S_IRWXU) != S_IRWXU) ::chmod(place.c_str(), (at.st_mode & kModeBits) | S_IRWXU);
  std::error_code ignored;  // an unreadable folder cannot be removed, and remove_tree() reports that
  for (fs::directory_iterator it(place, ignored), end; it != end; it.increment(ignored))
    if (!it->is_symlink(ignored) && it->is_directory(ignored)) make_folders_writable(it->path());
}

void replace_by_copy(const fs::path& place) {
  const fs::path copy = place.parent_path() / (".kml-" + random_hex(8));
  std::error_code failure;
  fs::copy_file(place, copy, failure);
  if (!failure) fs::rename(copy, place, failure);
  if (failure)
    throw system_error("cannot copy " + place.string() + ", which has a hard link elsewhere", failure.value(),
                       "let the step copy the file (cp --reflink=auto), not link it (ln)");
}

void separate_hard_links(const fs::path& root, std::span<const TreeEntry> entries) {
  std::map<std::pair<dev_t, ino_t>, nlink_t> names;
  for (const TreeEntry& entry : entries)
    if (entry.at.st_nlink > 1) ++names[{entry.at.st_dev, entry.at.st_ino}];
  for (const TreeEntry& entry : entries)
    if (S_ISREG(entry.at.st_mode) && entry.at.st_nlink > 1 &&
        entry.at.st_nlink > names[{entry.at.st_dev, entry.at.st_ino}])
      replace_by_copy(place_of(root, entry.path));
}

}  // namespace

void make_read_only(const fs::path& root, std::span<const TreeEntry> entries) {
  separate_hard_links(root, entries);
  for (const TreeEntry& entry : entries) {
    const mode_t mode = entry.at.st_mode & kModeBits;
    if (S_ISLNK(entry.at.st_mode) || (mode & kReadBits) == mode) continue;
    const fs::path place = place_of(root, entry.path);
    if (::chmod(place.c_str(), mode & kReadBits) != 0)
      throw system_error("cannot make " + place.string() + " read-only", errno,
                         "let the step run as the user who runs kml");
  }
}

void remove_tree(const fs::path& root) {
  make_folders_writable(root);
  std::error_code failure;
  fs::remove_all(root, failure);
  if (failure)
    throw system_error("cannot remove " + root.string(), failure.value(),
                       "see who owns the files in it: ls -lR " + shell_quoted(std::vector{root.string()}));
}

}  // namespace kml::pipeline
