#include "pod/copy/local_tree.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "kml/base/beneath.h"
#include "kml/base/system_calls.h"
#include "pod/copy/sent_files.h"

namespace kml::pod {

namespace fs = std::filesystem;

namespace {

/// Reads an entry. If `path` is empty and the entry is a link, reads the link's target.
CopyEntry read_entry(const fs::path& place, std::string path) {
  struct stat at {};
  if ((path.empty() ? ::stat(place.c_str(), &at) : ::lstat(place.c_str(), &at)) != 0)
    throw system_error("cannot read " + place.string(), errno);
  return local_entry(place, std::move(path), at);
}

}  // namespace

CopyEntry local_entry(const fs::path& place, std::string path, const struct stat& at) {
  CopyEntry entry{
      .path = std::move(path),
      .kind = CopyEntry::Kind::other,
      .mode = at.st_mode & 0777U,
      .size = static_cast<std::uintmax_t>(at.st_size),
      .modified = std::chrono::floor<std::chrono::seconds>(modification_time(at)).time_since_epoch().count()};
  if (S_ISREG(at.st_mode)) entry.kind = CopyEntry::Kind::file;
  if (S_ISDIR(at.st_mode)) entry.kind = CopyEntry::Kind::folder;
  if (S_ISLNK(at.st_mode)) {
    entry.kind = CopyEntry::Kind::link;
    std::error_code failure;
    entry.target = fs::read_symlink(place, failure).string();
    if (failure) throw system_error("cannot read the link " + place.string(), failure.value());
  }
  return entry;
}

std::vector<CopyEntry> list_local_tree(const fs::path& root) {
  std::vector<CopyEntry> entries = {read_entry(root, "")};
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].kind != CopyEntry::Kind::folder) continue;
    const fs::path folder = entries[i].path.empty() ? root : root / entries[i].path;
    const std::string inside = entries[i].path.empty() ? "" : entries[i].path + "/";
    std::error_code failure;
    for (fs::directory_iterator child(folder, failure), end; !failure && child != end;
         child.increment(failure))
      entries.push_back(read_entry(child->path(), inside + child->path().filename().string()));
    if (failure) throw system_error("cannot read the folder " + folder.string(), failure.value());
  }
  return entries;
}

std::string local_sum(const fs::path& file, std::uintmax_t size, SumTool tool) {
  FileSource source(file, 0, size, [](std::uintmax_t) {});
  ContentSum sum(tool);
  for (std::string piece; !(piece = source.next()).empty();) sum.add(piece);
  return sum.text();
}

std::vector<std::string> take_out_uncopyable(std::vector<CopyEntry>& entries) {
  std::vector<std::string> lines;
  std::erase_if(entries, [&](const CopyEntry& entry) {
    const bool is_outward_link =
        entry.kind == CopyEntry::Kind::link && !is_link_beneath(entry.path, entry.target);
    if (is_outward_link)
      lines.push_back("link " + entry.path + ": it leads out of the folder, to " + entry.target);
    else if (entry.kind == CopyEntry::Kind::other)
      lines.push_back(entry.path + ": it is a pipe, a socket or a device");
    return is_outward_link || entry.kind == CopyEntry::Kind::other;
  });
  return lines;
}

}  // namespace kml::pod
