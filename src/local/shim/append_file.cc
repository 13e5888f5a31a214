#include "local/shim/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "local/shim/pod_folder.h"

namespace kml::local {

AppendFile::AppendFile(const std::filesystem::path& path)
    : fd_(open_pod_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600)) {
  struct stat info {};
  if (fd_ && ::fstat(fd_.get(), &info) == 0) size_ = static_cast<uint64_t>(info.st_size);
}

bool AppendFile::append(std::string_view text) {
  if (!fd_) return false;
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(fd_.get(), text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      cut_to(size_);
      return false;
    }
    done += static_cast<size_t>(written);
  }
  size_ += text.size();
  return true;
}

void AppendFile::clear() {
  cut_to(0);
  size_ = 0;
}

void AppendFile::cut_to(uint64_t size) {
  [[maybe_unused]] int ignored = ::ftruncate(fd_.get(), static_cast<off_t>(size));
}

}  // namespace kml::local
