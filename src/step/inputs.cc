#include "step/inputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/gzip_bytes.h"
#include "kml/core/input_faults.h"
#include "kml/core/tar.h"
#include "step/say.h"
#include "step/tree.h"

namespace kml::step {

namespace {

constexpr size_t kMostUnpacked = size_t{64} << 20;

void write_entry(const TarEntry& entry, const std::string& place) {
  make_folders(folder_of(place));
  if (entry.type == TarEntry::Type::folder) return make_folders(place);
  if (entry.type == TarEntry::Type::link) {
    if (::symlink(entry.target.c_str(), place.c_str()) != 0)
      give_up_by_errno("cannot create the link " + place);
    return;
  }
  const int fd = ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        entry.is_executable ? 0555 : 0444);
  if (fd < 0 || !write_all(fd, entry.content) || ::close(fd) != 0) give_up_by_errno("cannot write " + place);
}

void unpack(const std::string& bytes, const std::string& path) {
  std::string archive;
  if (const char* fault = gunzip_bytes(bytes, kMostUnpacked, archive))
    give_up("cannot unpack " + path + ": " + fault, kInputGone);
  remove_tree(path);
  TarReader reader(archive);
  for (TarEntry entry; reader.next(entry);) write_entry(entry, place_of(path, entry.name));
  if (reader.is_damaged()) give_up("cannot unpack " + path + ": the file is damaged", kInputGone);
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
