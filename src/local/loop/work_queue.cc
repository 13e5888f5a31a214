#include "local/loop/work_queue.h"

#include "local/loop/event_loop.h"

namespace kml::local {

using namespace std::chrono_literals;

WorkQueue::WorkQueue(EventLoop& loop, std::function<void(const std::string&)> look)
    : loop_(loop), look_(std::move(look)) {}

WorkQueue::~WorkQueue() {
  for (const auto& [key, timer] : timers_) loop_.cancel(timer);
}

void WorkQueue::add(const std::string& key) {
  if (keys_.insert(key).second) order_.push_back(key);
  defer();
}

void WorkQueue::defer() {
  if (!std::exchange(deferred_, true)) loop_.defer([this] { work(); });
}

void WorkQueue::add_after(const std::string& key, std::chrono::nanoseconds delay) {
  const auto time = std::chrono::steady_clock::now() + delay;
  if (auto it = timers_.find(key); it != timers_.end()) {
    if (it->second.first <= time) return;
    loop_.cancel(it->second);
  }
  timers_[key] = loop_.at(time, [this, key] {
    timers_.erase(key);
    add(key);
  });
}

void WorkQueue::forget(const std::string& key) {
  if (keys_.erase(key)) std::erase(order_, key);
  auto it = timers_.find(key);
  if (it == timers_.end()) return;
  loop_.cancel(it->second);
  timers_.erase(it);
}

/// Handles the keys that are in the queue now, until the loop's turn is over. Always handles at least one
/// key, so that each queue makes progress in each turn.
void WorkQueue::work() {
  deferred_ = false;
  for (size_t left = order_.size(); left > 0 && !order_.empty(); --left) {
    const std::string key = std::move(order_.front());
    order_.pop_front();
    keys_.erase(key);
    look_at(key);
    if (loop_.is_turn_over()) break;
  }
  if (!order_.empty()) defer();
}

void WorkQueue::look_at(const std::string& key) {
  try {
    look_(key);
  } catch (const Error& error) {
    log_error(error);
    add_after(key, 1s);
  }
}

}  // namespace kml::local
