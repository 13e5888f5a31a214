#include "kml/base/ready_files.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "kml/base/error.h"
#include "kml/base/system_calls.h"

namespace kml {

void ReadyFiles::want(int fd, bool readable, bool writable) {
  const Wanted now{readable, writable};
  const auto found = wanted_.find(fd);
  const Wanted before = found == wanted_.end() ? Wanted{} : found->second;
  if (now == before) return;
  change(fd, before, now);
  if (now == Wanted{})
    wanted_.erase(found);
  else
    wanted_[fd] = now;
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
  own_ = open_again(fd);
  may_block_ = !own_;
}

/// Whether a write of at most PIPE_BUF bytes would return at once, see pipe(7).
bool PatientWriter::has_room() const {
  pollfd file{fd(), POLLOUT, 0};
  return ::poll(&file, 1, 0) > 0;
}

void PatientWriter::write(std::string_view bytes) {
  if (is_closed_) return;
  if (!kept_.empty()) kept_.append(bytes), bytes = kept_;
  size_t done = 0;
  while (done < bytes.size()) {
    const char* from = bytes.data() + done;
    if (may_block_ && !has_room()) break;
    const size_t left = std::min(bytes.size() - done, may_block_ ? size_t{PIPE_BUF} : bytes.size());
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
