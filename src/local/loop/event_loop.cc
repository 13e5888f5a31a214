#include "local/loop/event_loop.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kml::local {

using namespace std::chrono_literals;

namespace {

// How long deferred work may keep the loop from checking for requests.
constexpr auto kLongestTurn = 10ms;

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw system_error("cannot create an event loop", errno);
}

void EventLoop::watch(int fd, uint32_t events, std::function<void(uint32_t)> callback) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw system_error("cannot watch a file descriptor", errno);
  callbacks_[fd] = std::move(callback);
}

void EventLoop::forget(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  callbacks_.erase(fd);
}

EventLoop::Timer EventLoop::at(SteadyTime time, std::function<void()> callback) {
  Timer timer{time, next_timer_++};
  timers_.emplace(timer, std::move(callback));
  return timer;
}

EventLoop::Timer EventLoop::after(std::chrono::nanoseconds delay, std::function<void()> callback) {
  return at(std::chrono::steady_clock::now() + delay, std::move(callback));
}

void EventLoop::cancel(const Timer& timer) {
  timers_.erase(timer);
}

void EventLoop::defer(std::function<void()> callback) {
  deferred_.push_back(std::move(callback));
}

void EventLoop::on_signal(int signal, std::function<void()> callback) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) throw system_error("cannot wait for signals", errno);
  watch(fd.get(), EPOLLIN, [fd = fd.get(), callback = std::move(callback)](uint32_t) {
    signalfd_siginfo info;
    while (::read(fd, &info, sizeof info) == sizeof info) {
    }
    callback();
  });
  signal_fds_.push_back(std::move(fd));
}

void EventLoop::run() {
  running_ = true;
  while (running_) {
    run_deferred();
    turn_end_();
    epoll_event events[64];
    int count = ::epoll_wait(epoll_.get(), events, 64, milliseconds_to_next_timer());
    if (count < 0 && errno != EINTR) throw system_error("cannot wait for events", errno);
    for (int i = 0; i < count; ++i) {
      // A callback earlier in this turn may have called forget() for this descriptor.
      auto found = callbacks_.find(events[i].data.fd);
      if (found == callbacks_.end()) continue;
      auto callback = found->second;
      call([&] { callback(events[i].events); });
    }
    run_due_timers();
    turn_end_();
  }
  run_deferred();
  turn_end_();
}

void EventLoop::call(const std::function<void()>& callback) {
  try {
    callback();
  } catch (const Error& error) {
    if (!tell_failure_) throw;
    tell_failure_(error);
  }
}

void EventLoop::run_deferred() {
  turn_end_time_ = std::chrono::steady_clock::now() + kLongestTurn;
  while (!deferred_.empty() && !is_turn_over()) {
    auto callbacks = std::move(deferred_);
    deferred_.clear();
    for (auto& callback : callbacks) call(callback);
  }
}

bool EventLoop::is_turn_over() const {
  return std::chrono::steady_clock::now() >= turn_end_time_;
}

void EventLoop::run_due_timers() {
  const SteadyTime now = std::chrono::steady_clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto callback = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    call(callback);
  }
}

int EventLoop::milliseconds_to_next_timer() const {
  if (!deferred_.empty() || !running_) return 0;
  if (timers_.empty()) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first -
                                                           std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 1'000'000));
}

}  // namespace kml::local
