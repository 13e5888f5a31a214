#include "jobs/spool/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "kml/core/error.h"
#include "kml/core/files.h"

namespace kml::jobs {

namespace {

/// As much of a log may be held as of one that is followed.
constexpr size_t kMostHeld = size_t{256} << 10;

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || status.st_size == 0) return;
  const size_t size = static_cast<size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) throw system_error("cannot read " + path.string(), errno);
  ::madvise(data, size, MADV_SEQUENTIAL);
  data_ = static_cast<const char*>(data);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::have_read(size_t bytes) {
  read_ += bytes + 1;  // a newline
  if (read_ < kMostHeld) return;
  ::madvise(const_cast<char*>(data_), size_, MADV_DONTNEED);
  read_ = 0;
}

size_t MappedFile::line_begin(size_t place) {
  while (place > 0) {
    const size_t part = std::min(place, kMostHeld);
    const std::string_view before = bytes().substr(place - part, part);
    const size_t newline = before.rfind('\n');
    have_read(newline == std::string_view::npos ? part : part - newline);
    if (newline != std::string_view::npos) return place - part + newline + 1;
    place -= part;
  }
  return 0;
}

}  // namespace kml::jobs
