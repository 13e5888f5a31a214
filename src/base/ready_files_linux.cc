#include <sys/epoll.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/ready_files.h"

namespace kml {

ReadyFiles::ReadyFiles() : queue_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!queue_) throw system_error("cannot wait for files", errno);
}

void ReadyFiles::change(int fd, Wanted before, Wanted now) {
  epoll_event event{};
  event.events = (now.readable ? unsigned{EPOLLIN} : 0) | (now.writable ? unsigned{EPOLLOUT} : 0);
  event.data.fd = fd;
  // EPOLLHUP is reported even if no events are requested.
  const int what = now == Wanted{} ? EPOLL_CTL_DEL : before == Wanted{} ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  ::epoll_ctl(queue_.get(), what, fd, &event);
}

int ReadyFiles::fd() const {
  return queue_.get();
}

}  // namespace kml
