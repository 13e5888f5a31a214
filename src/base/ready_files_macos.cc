#include <fcntl.h>
#include <sys/event.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "kml/base/error.h"
#include "kml/base/ready_files.h"

namespace kml {

ReadyFiles::ReadyFiles() : queue_(::kqueue()) {
  if (!queue_) throw system_error("cannot wait for files", errno);
  ::fcntl(queue_.get(), F_SETFD, FD_CLOEXEC);
}

void ReadyFiles::change(int fd, Wanted before, Wanted now) {
  // To kqueue(2), a file on a disk is ready until its end is reached.
  struct stat file {};
  if (::fstat(fd, &file) != 0 || S_ISREG(file.st_mode)) return;
  const auto set = [&](short filter, bool was, bool is) {
    struct kevent event {};
    EV_SET(&event, static_cast<uintptr_t>(fd), filter, is ? EV_ADD : EV_DELETE, 0, 0, nullptr);
    if (was != is) ::kevent(queue_.get(), &event, 1, nullptr, 0, nullptr);
  };
  set(EVFILT_READ, before.readable, now.readable);
  set(EVFILT_WRITE, before.writable, now.writable);
}

/// A kqueue is readable as long as it holds an event, even for a file that is no longer ready. Fetching the
/// events drops such events.
int ReadyFiles::fd() const {
  std::array<struct kevent, 64> events;
  const timespec now{};
  ::kevent(queue_.get(), nullptr, 0, events.data(), events.size(), &now);
  return queue_.get();
}

}  // namespace kml
