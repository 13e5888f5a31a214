#include "step/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "kml/base/sha256.h"
#include "step/say.h"

namespace kml::step {

namespace {

constexpr mode_t kMode = 07777;

Entry entry_at(const std::string& root, std::string path) {
  Entry entry;
  entry.path = std::move(path);
  const std::string place = place_of(root, entry.path);
  if (::lstat(place.c_str(), &entry.at) != 0) give_up_by_errno("cannot read " + place);
  const mode_t kind = entry.at.st_mode & S_IFMT;
  if (kind != S_IFREG && kind != S_IFDIR && kind != S_IFLNK)
    give_up("cannot save " + place + ": it is a pipe, a socket or a device");
  if (kind != S_IFLNK) return entry;
  char target[4096];
  const ssize_t size = ::readlink(place.c_str(), target, sizeof target);
  if (size < 0) give_up_by_errno("cannot read the link " + place);
  entry.target.assign(target, static_cast<size_t>(size));
  return entry;
}

void append_children(const std::string& root, size_t folder, std::vector<Entry>& entries) {
  const std::string inside = entries[folder].path == "." ? "" : entries[folder].path + "/";
  const std::string place = place_of(root, entries[folder].path);
  DIR* names = ::opendir(place.c_str());
  if (!names) give_up_by_errno("cannot read the folder " + place);
  for (;;) {
    errno = 0;
    const dirent* child = ::readdir(names);
    if (!child && errno != 0) give_up_by_errno("cannot read the folder " + place);
    if (!child) break;
    const std::string name = child->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back(entry_at(root, inside + name));
    entries[folder].is_empty = false;
  }
  ::closedir(names);
}

/// The length in bytes of the UTF-8 sequence at the start of the text; 0 if it is invalid.
size_t utf8_at(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return 0;
  unsigned value = byte(0) & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3FU);
  }
  const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return value < smallest[bytes] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000) ? 0 : bytes;
}

void append_escape(unsigned code, std::string& out) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[code >> shift & 15];
}

void append_quoted(std::string_view character, std::string& out) {
  switch (const char c = character[0]) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_c1 = byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
      if (is_c1)
        append_escape(static_cast<unsigned char>(character[1]), out);
      else if (byte < 0x20 || byte == 0x7F)
        append_escape(byte, out);
      else
        out += character;
    }
  }
}

std::string digest_of_file(const std::string& file, const struct stat& before) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) give_up_by_errno("cannot read " + file);
  static char buffer[1 << 18];
  Sha256 sum;
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) give_up_by_errno("cannot read " + file);
    sum.add({buffer, static_cast<size_t>(got)});
  }
  struct stat after {};
  ::fstat(fd, &after);
  ::close(fd);
  if (after.st_size != before.st_size || after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
      after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
    give_up(file + " changed while it was read: make the step wait for all programs that it started");
  return sum.hex();
}

std::string manifest_line(const std::string& root, const Entry& entry) {
  const std::string name = quoted_name(entry.path);
  if (S_ISLNK(entry.at.st_mode)) return name + " -> " + quoted_name(entry.target) + "\n";
  if (S_ISDIR(entry.at.st_mode)) return entry.is_empty ? quoted_name(entry.path + "/") + "\n" : std::string();
  return name + (entry.at.st_mode & S_IXUSR ? " 755 " : " 644 ") + std::to_string(entry.at.st_size) + " " +
         digest_of_file(place_of(root, entry.path), entry.at) + "\n";
}

}  // namespace

std::vector<Entry> entries_of(const std::string& root) {
  std::vector<Entry> entries;
  entries.push_back(entry_at(root, "."));
  for (size_t i = 0; i < entries.size(); ++i)
    if (S_ISDIR(entries[i].at.st_mode)) append_children(root, i, entries);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return entries;
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  while (!name.empty()) {
    const size_t bytes = utf8_at(name);
    if (bytes > 0)
      append_quoted(name.substr(0, bytes), text);
    else
      append_escape(0xDC00U + static_cast<unsigned char>(name[0]), text);
    name.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return text + '"';
}

std::string place_of(const std::string& root, const std::string& path) {
  return path == "." ? root : root + "/" + path;
}

Summary summary_of(const std::string& root, const std::vector<Entry>& entries) {
  Summary summary;
  for (const Entry& entry : entries) {
    summary.manifest += manifest_line(root, entry);
    if (!S_ISREG(entry.at.st_mode)) continue;
    ++summary.files;
    summary.bytes += static_cast<unsigned long long>(entry.at.st_size);
  }
  summary.digest = sha256_hex(summary.manifest);
  return summary;
}

void freeze(const std::string& root, const std::vector<Entry>& entries) {
  std::map<std::pair<dev_t, ino_t>, nlink_t> names;
  for (const Entry& entry : entries)
    if (entry.at.st_nlink > 1) ++names[{entry.at.st_dev, entry.at.st_ino}];
  for (const Entry& entry : entries) {
    const mode_t mode = entry.at.st_mode & kMode;
    // Does not change the mode of a file that also has a name outside the tree. On a file of another user,
    // chmod() fails, which does no harm: only the content is important.
    const bool is_shared = S_ISREG(entry.at.st_mode) && entry.at.st_nlink > 1 &&
                           entry.at.st_nlink > names[{entry.at.st_dev, entry.at.st_ino}];
    if (!S_ISLNK(entry.at.st_mode) && !is_shared)
      ::chmod(place_of(root, entry.path).c_str(), mode & ~mode_t{0222});
  }
  const int fd = ::open(folder_of(root).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || ::syncfs(fd) != 0) give_up_by_errno("cannot write " + root + " to disk");
  ::close(fd);
}

void remove_tree(const std::string& path) {
  struct stat at {};
  if (::lstat(path.c_str(), &at) != 0) return;
  if (!S_ISDIR(at.st_mode)) {
    if (::unlink(path.c_str()) != 0) give_up_by_errno("cannot remove " + path);
    return;
  }
  ::chmod(path.c_str(), (at.st_mode & kMode) | S_IRWXU);
  std::vector<std::string> names;
  if (DIR* children = ::opendir(path.c_str())) {
    while (const dirent* child = ::readdir(children)) names.emplace_back(child->d_name);
    ::closedir(children);
  }
  for (const std::string& name : names)
    if (name != "." && name != "..") remove_tree(path + "/" + name);
  if (::rmdir(path.c_str()) != 0) give_up_by_errno("cannot remove " + path);
}

void make_folders(const std::string& path) {
  if (path.empty() || ::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return;
  if (errno != ENOENT) give_up_by_errno("cannot create the folder " + path);
  make_folders(folder_of(path));
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    give_up_by_errno("cannot create the folder " + path);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

}  // namespace kml::step
