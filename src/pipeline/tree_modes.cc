#include "pipeline/tree_modes.h"

#include <cerrno>

#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kModeBits = 07777, kReadBits = 0555;

/// Makes folders writable: names can be removed only from a writable folder.
void make_folders_writable(const fs::path& place) {
  struct stat at {};
  if (::lstat(place.c_str(), &at) != 0 || !S_ISDIR(at.st_mode)) return;
  if ((at.st_mode & S_IRWXU) != S_IRWXU) ::chmod(place.c_str(), (at.st_mode & kModeBits) | S_IRWXU);
  std::error_code ignored;  // an unreadable folder cannot be removed either, and remove_tree() reports it
  for (fs::directory_iterator it(place, ignored), end; it != end; it.increment(ignored))
    if (!it->is_symlink(ignored) && it->is_directory(ignored)) make_folders_writable(it->path());
}

}  // namespace

void make_read_only(const fs::path& root, std::span<const TreeEntry> entries) {
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
                       "see whose files it holds: ls -lR " + shell_quoted(std::vector{root.string()}));
}

}  // namespace kml::pipeline
