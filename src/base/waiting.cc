#include "kml/base/waiting.h"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

#include "kml/base/clock.h"

namespace kml {

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kPatience{3}, kBetween{1};

WaitingLine& waiting_line() {
  static WaitingLine line;
  return line;
}

std::atomic<bool> is_one_shown = false;

/// "14:02:05" by this machine's clock.
std::string time_of_day_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::localtime_r(&now, &parts);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &parts)};
}

/// Lets the other threads receive all signals.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

void show_waiting_in(WaitingLine line) {
  waiting_line() = std::move(line);
}

/// The thread that shows the line.
class Waiting::Watch {
 public:
  Watch(std::string what, std::string host)
      : what_(std::move(what)),
        host_(std::move(host)),
        since_(time_of_day_now()),
        thread_([this] { watch(); }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
    is_one_shown = false;
  }
  Watch(const Watch&) = delete;

 private:
  void watch() {
    block_signals();
    bool is_shown = false;
    for (seconds waited = kPatience; !await_end(began_ + waited); waited += kBetween) {
      waiting_line().show(fmt::format("waiting for {} since {} ({} s), Ctrl-C is safe: {}", host_, since_,
                                      waited.count(), what_));
      is_shown = true;
    }
    if (is_shown) waiting_line().erase();
  }

  /// Waits until then, or until the wait is over.
  bool await_end(steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, time, [this] { return is_over_; });
  }

  const std::string what_, host_, since_;
  const steady_clock::time_point began_ = steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;  // the last member, because it uses the others
};

Waiting::Waiting(std::string what, std::string host) : host_(std::move(host)), began_(steady_clock::now()) {
  if (!what.empty() && waiting_line().show && !is_one_shown.exchange(true))
    watch_ = std::make_unique<Watch>(std::move(what), host_);
}

Waiting::~Waiting() = default;

std::string Waiting::tried(const std::string& other) const {
  const auto waited = std::chrono::duration_cast<seconds>(steady_clock::now() - began_);
  return fmt::format("kml tried {} for {}", other.empty() ? host_ : other,
                     waited < seconds(1) ? "less than 1 s" : short_duration(waited));
}

}  // namespace kml
