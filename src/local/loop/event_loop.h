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

#include "kml/base/error.h"
#include "kml/base/files.h"

namespace kml::local {

/// Writes to the server's log. If the disk is full, the text is lost. fmt::print would throw, which would end
/// the server.
inline void log_text(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}
inline void log_error(const Error& error) {
  log_text(describe(error));
}

/// The event loop of a single thread: descriptors (sockets, pidfds, the HTTP daemon's epoll), timers and
/// signals. Everything in the embedded server runs in its callbacks, so no locks are needed.
class EventLoop {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  using Timer = std::pair<SteadyTime, uint64_t>;

  EventLoop();

  /// Calls back with the ready events (EPOLLIN, …) until forget(fd). The caller still owns the descriptor.
  void watch(int fd, uint32_t events, std::function<void(uint32_t)> callback);
  void forget(int fd);

  /// Calls back once, at that time.
  Timer at(SteadyTime time, std::function<void()> callback);
  Timer after(std::chrono::nanoseconds delay, std::function<void()> callback);
  void cancel(const Timer& timer);

  /// Calls back at the end of this turn, before the loop sleeps. Use this for work that should be done once
  /// for all events of a turn.
  void defer(std::function<void()> callback);

  /// Whether deferred work should stop now and be deferred again, so that requests do not have to wait for
  /// all of it.
  bool is_turn_over() const;

  /// Calls back at the end of each turn, before and after deferred work.
  void at_turn_end(std::function<void()> callback) { turn_end_ = std::move(callback); }

  /// Blocks the signal in this process, and calls back when it arrives.
  void on_signal(int signal, std::function<void()> callback);

  /// If a callback throws an Error, calls `tell` with it and continues. Without `tell`, run() throws the
  /// Error.
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
  SteadyTime turn_end_time_;
  bool running_ = false;
};

}  // namespace kml::local
