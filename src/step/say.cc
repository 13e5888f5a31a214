#include "step/say.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kml::step {

void give_up(const std::string& text, int exit_code) {
  write_all(STDERR_FILENO, "kml-step: " + text + "\n");
  ::_exit(exit_code);
}

void give_up_by_errno(const std::string& text, int exit_code) {
  const char* reason = ::strerrordesc_np(errno);
  give_up(text + ": " + (reason ? reason : "unknown error"), exit_code);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool read_all(const std::string& path, size_t limit, std::string& bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  static char buffer[1 << 16];
  ssize_t got = 0;
  size_t size = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    size += static_cast<size_t>(got);
    if (size > limit) give_up(path + " is larger than " + in_mib(limit));
    bytes.append(buffer, static_cast<size_t>(got));
  }
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return got == 0;
}

std::string in_mib(unsigned long long bytes) {
  const unsigned long long tenths = (bytes * 10 + (1 << 20) - 1) >> 20;
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " MiB";
}

}  // namespace kml::step
