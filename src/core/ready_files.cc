#include "kml/core/ready_files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/error.h"

namespace kml {

ReadyFiles::ReadyFiles() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw system_error("cannot wait for files", errno);
}

void ReadyFiles::want(int fd, bool readable, bool writable) {
  const unsigned events = (readable ? unsigned{EPOLLIN} : 0) | (writable ? unsigned{EPOLLOUT} : 0);
  const auto found = wanted_.find(fd);
  if (found == wanted_.end() ? events == 0 : found->second == events) return;
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  // EPOLLHUP is reported even if no events are requested.
  const int what = events == 0 ? EPOLL_CTL_DEL : found == wanted_.end() ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  ::epoll_ctl(epoll_.get(), what, fd, &event);
  if (events == 0)
    wanted_.erase(found);
  else
    wanted_[fd] = events;
}

bool is_readable(int fd) {
  pollfd file{fd, POLLIN, 0};
  return ::poll(&file, 1, 0) > 0;
}

PatientWriter::PatientWriter(int fd) : fd_(fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return;
  is_socket_ = S_ISSOCK(info.st_mode);
  if (!S_ISFIFO(info.st_mode) && ::isatty(fd) != 1) return;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  own_ = Fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

void PatientWriter::write(std::string_view bytes) {
  if (is_closed_) return;
  if (!kept_.empty()) kept_.append(bytes), bytes = kept_;
  size_t done = 0;
  while (done < bytes.size()) {
    const char* from = bytes.data() + done;
    const size_t left = bytes.size() - done;
    const ssize_t count =
        is_socket_ ? ::send(fd_, from, left, MSG_DONTWAIT | MSG_NOSIGNAL) : ::write(fd(), from, left);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0 && (errno == EPIPE || errno == EIO || errno == ECONNRESET)) {
      is_closed_ = true;
      kept_.clear();
      return;
    }
    if (count < 0) throw system_error("cannot write the output", errno);
    done += static_cast<size_t>(count);
  }
  if (kept_.empty())
    kept_ = bytes.substr(done);
  else
    kept_.erase(0, done);
}

}  // namespace kml
