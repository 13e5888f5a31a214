#include "local/http/request_deadlines.h"

#include <sys/socket.h>

namespace kml::local {

RequestDeadlines::~RequestDeadlines() {
  for (const auto& [socket, timer] : timers_) loop_.cancel(timer);
}

void RequestDeadlines::start(int socket, std::chrono::nanoseconds limit) {
  stop(socket);
  // libmicrohttpd, which owns the socket, sees its end and closes it.
  timers_[socket] = loop_.after(limit, [this, socket] { end(socket); });
}

void RequestDeadlines::end(int socket) {
  stop(socket);
  ::shutdown(socket, SHUT_RDWR);
}

void RequestDeadlines::stop(int socket) {
  auto found = timers_.find(socket);
  if (found == timers_.end()) return;
  loop_.cancel(found->second);
  timers_.erase(found);
}

}  // namespace kml::local
