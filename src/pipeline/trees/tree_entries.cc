#include "pipeline/trees/tree_entries.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "pipeline/trees/link_check.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

const char* unkept_kind(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFLNK: return nullptr;
    case S_IFIFO: return "a named pipe (fifo)";
    case S_IFSOCK: return "a socket";
    default: return "a device";
  }
}

std::string target_of_link(const fs::path& link) {
  std::string target(4096, '\0');  // the target of a link is always shorter on Linux (PATH_MAX)
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  if (size < 0) throw system_error("cannot read the link " + link.string(), errno);
  target.resize(static_cast<size_t>(size));
  return target;
}

TreeEntry entry_at(const fs::path& root, std::string path) {
  TreeEntry entry{.path = std::move(path)};
  const fs::path place = place_of(root, entry.path);
  if (::lstat(place.c_str(), &entry.at) != 0)
    throw system_error("cannot read " + place.string(), errno,
                       "wait until nothing changes this folder, then try again");
  if (const char* kind = unkept_kind(entry.at.st_mode))
    throw Error(ErrorCode::failure, "cannot keep " + root.string(), quoted_name(entry.path) + " is " + kind,
                "only files, folders and links can be kept; let the step create it elsewhere, as in /tmp");
  if (S_ISLNK(entry.at.st_mode)) entry.target = target_of_link(place);
  return entry;
}

void append_children(const fs::path& root, size_t folder, std::vector<TreeEntry>& entries) {
  const std::string inside = entries[folder].path == "." ? "" : entries[folder].path + "/";
  const fs::path place = place_of(root, entries[folder].path);
  const std::unique_ptr<DIR, int (*)(DIR*)> names(::opendir(place.c_str()), ::closedir);
  if (!names)
    throw system_error("cannot read the folder " + place.string(), errno,
                       "make it readable: chmod u+rx " + shell_quoted(std::vector{place.string()}));
  for (;;) {
    errno = 0;
    const dirent* child = ::readdir(names.get());
    if (!child && errno != 0) throw system_error("cannot read the folder " + place.string(), errno);
    if (!child) return;
    const std::string_view name = child->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back(entry_at(root, inside + child->d_name));
    entries[folder].is_empty = false;
  }
}

bool is_plain(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

}  // namespace

std::vector<TreeEntry> entries_of(const fs::path& root) {
  struct stat ignored {};
  if (::lstat(root.c_str(), &ignored) != 0 && (errno == ENOENT || errno == ENOTDIR))
    throw Error(
        ErrorCode::failure, "cannot keep " + root.string(), "it does not exist",
        fmt::format("let the step write its output to this path, which is ${{out.{}}} in the step's command",
                    root.filename().string()));
  std::vector<TreeEntry> entries;
  entries.push_back(entry_at(root, "."));
  for (size_t i = 0; i < entries.size(); ++i)
    if (S_ISDIR(entries[i].at.st_mode)) append_children(root, i, entries);
  TreeLinks links;
  for (const TreeEntry& entry : entries)
    if (S_ISLNK(entry.at.st_mode)) links[entry.path] = entry.target;
  check_links(root, links);
  // The root must stay first, although "(1).png" sorts before ".".
  std::sort(entries.begin() + 1, entries.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return entries;
}

fs::path place_of(const fs::path& root, const std::string& path) {
  return path == "." ? root : root / path;
}

std::string quoted_name(std::string_view name) {
  if (is_plain(name)) return '"' + std::string(name) + '"';
  std::string text = "\"";
  while (!name.empty()) {
    const auto next = first_code_point(name);
    if (next) {
      const std::string quoted = json_text(std::string(name.substr(0, next->bytes)));
      text.append(quoted, 1, quoted.size() - 2);
    } else {
      text += fmt::format("\\udc{:02x}", static_cast<unsigned char>(name[0]));
    }
    name.remove_prefix(next ? next->bytes : 1);
  }
  return text + '"';
}

}  // namespace kml::pipeline
