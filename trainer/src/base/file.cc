#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace trainer {

namespace {

void check(bool ok) {
  if (!ok) throw std::system_error(errno, std::generic_category());
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) close(fd_);
}

int Fd::release() {
  return std::exchange(fd_, -1);
}

std::vector<uint8_t> read_file(const std::filesystem::path& path) {
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  check(fd.get() >= 0);
  struct stat status;
  check(fstat(fd.get(), &status) == 0);
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

bool ends_within_line(int fd) {
  struct stat status;
  char last = '\n';
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  return pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    Fd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    check(fd.get() >= 0);
    write_all(fd.get(), bytes);
    check(fsync(fd.get()) == 0);
    check(close(fd.release()) == 0);  // NFS may report a full disk only here
    check(rename(temporary.c_str(), path.c_str()) == 0);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  Fd directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  check(directory.get() >= 0);
  check(fsync(directory.get()) == 0);
}

}  // namespace trainer
