#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/files.h"

namespace kml::local {

/// To the server's log. Where the disk of that is full the text is lost: fmt::print would throw, and end the
/// server.
inline void log_text(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}
inline void log_error(const Error& error) {
  log_text(describe(error));
}

/// One thread's events: descriptors (sockets, pidfds, the HTTP daemon's epoll), timers and signals.
/// Everything in the embedded server runs inside its callbacks, so nothing needs a lock.
class EventLoop {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  using Timer = std::pair<SteadyTime, uint64_t>;

  EventLoop();

  /// Calls back with the ready events (EPOLLIN, …) until forget(fd). The descriptor stays the caller's.
  void watch(int fd, uint32_t events, std::function<void(uint32_t)> callback);
  void forget(int fd);

  /// Calls back once at that time.
  Timer at(SteadyTime time, std::function<void()> callback);
  Timer after(std::chrono::nanoseconds delay, std::function<void()> callback);
  void cancel(const Timer& timer);

  /// Calls back at the end of this turn, before the loop sleeps: for work that several events of a turn
  /// share.
  void defer(std::function<void()> callback);

  /// Calls back before the deferred work of a turn and after it.
  void at_turn_end(std::function<void()> callback) { turn_end_ = std::move(callback); }

  /// Blocks the signal for the process and calls back when it arrives.
  void on_signal(int signal, std::function<void()> callback);

  /// Tells of an Error that a callback throws, and goes on. Without it, run() throws the Error.
  void on_failure(std::function<void(const Error&)> tell) { tell_failure_ = std::move(tell); }

  void run();
  void stop() { running_ = false; }

 private:
  void call(const std::function<void()>& callback);
  void run_deferred();
  void run_due_timers();
  int milliseconds_to_next_timer() const;

  Fd epoll_;
  std::vector<Fd> signal_fds_;
  std::unordered_map<int, std::function<void(uint32_t)>> callbacks_;
  std::map<Timer, std::function<void()>> timers_;
  std::vector<std::function<void()>> deferred_;
  std::function<void()> turn_end_ = [] {};
  std::function<void(const Error&)> tell_failure_;
  uint64_t next_timer_ = 0;
  bool running_ = false;
};

}  // namespace kml::local
