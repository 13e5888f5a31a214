#include "step/inputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "kml/base/gzip_bytes.h"
#include "kml/base/input_faults.h"
#include "kml/base/tar.h"
#include "kml/base/tree_names.h"
#include "step/say.h"
#include "step/tree.h"

namespace kml::step {

namespace {

constexpr size_t kMostUnpacked = size_t{64} << 20;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  give_up("cannot unpack " + path + ": " + why, kInputGone);
}

/// Checks names and links, because anyone who may write an input's Secrets can put any names and links into
/// them.
void check(const std::vector<TarEntry>& entries, const std::string& path) {
  std::vector<TreeName> names;
  TreeLinks links;
  for (const TarEntry& entry : entries) {
    names.push_back({entry.name, entry.type == TarEntry::Type::folder});
    if (entry.type == TarEntry::Type::link) links[entry.name] = entry.target;
  }
  if (const auto fault = fault_of_names(names))
    refuse(path, "it has a file named " + quoted_name(fault->path) + fault->what + std::string(fault->above));
  for (const auto& [link, target] : links)
    if (const char* fault = fault_of_link(links, link))
      refuse(path, quoted_name(link) + " is a link to " + quoted_name(target) + ", " + fault);
}

void write_entry(const TarEntry& entry, const std::string& place) {
  make_folders(folder_of(place));
  if (entry.type == TarEntry::Type::folder) return make_folders(place);
  const int fd = ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        entry.is_executable ? 0555 : 0444);
  if (fd < 0 || !write_all(fd, entry.content) || ::close(fd) != 0) give_up_by_errno("cannot write " + place);
}

void write_link(const TarEntry& entry, const std::string& place) {
  make_folders(folder_of(place));
  if (::symlink(entry.target.c_str(), place.c_str()) != 0)
    give_up_by_errno("cannot create the link " + place);
}

/// Creates links last, so that nothing is written through a link.
void write_entries(const std::vector<TarEntry>& entries, const std::string& path) {
  for (const TarEntry& entry : entries)
    if (entry.type != TarEntry::Type::link) write_entry(entry, place_of(path, entry.name));
  for (const TarEntry& entry : entries)
    if (entry.type == TarEntry::Type::link) write_link(entry, place_of(path, entry.name));
}

void unpack(const std::string& bytes, const std::string& path) {
  std::string archive;
  if (const char* fault = gunzip_bytes(bytes, kMostUnpacked, archive)) refuse(path, fault);
  TarReader reader(archive);
  std::vector<TarEntry> entries;
  for (TarEntry entry; reader.next(entry);) entries.push_back(entry);
  if (reader.is_damaged()) refuse(path, "the file is damaged");
  check(entries, path);
  remove_tree(path);
  write_entries(entries, path);
}

}  // namespace

std::string packed_bytes(const std::string& folder) {
  std::string bytes;
  for (int i = 0;; ++i) {
    const std::string name = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    if (read_all(folder + "/" + name, kMostUnpacked, bytes)) continue;
    if (i == 0 || errno != ENOENT) give_up_by_errno("cannot read " + folder + "/" + name);
    return bytes;
  }
}

void bring(const InputPlace& input, const std::string& packed) {
  if (!packed.empty()) unpack(packed_bytes(packed + "/" + input.name), input.path);
  struct stat at {};
  if (::lstat(input.path.c_str(), &at) != 0)
    give_up_by_errno("input " + input.name + kInputMissing + "cannot read " + input.path, kInputGone);
  if (summary_of(input.path, entries_of(input.path)).digest != input.digest)
    give_up("input " + input.name + kInputChanged + input.path + " differs from the output of its step",
            kInputGone);
}

}  // namespace kml::step
