#include <fcntl.h>
#include <sys/event.h>

#include <cerrno>
#include <ctime>

#include "kml/base/error.h"
#include "kml/base/signal_file.h"

namespace kml {

Fd make_signal_file(const sigset_t& signals) {
  Fd queue(::kqueue());
  if (!queue) throw system_error("cannot watch for signals", errno);
  ::fcntl(queue.get(), F_SETFD, FD_CLOEXEC);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&signals, signal) != 1) continue;
    struct kevent event {};
    EV_SET(&event, static_cast<uintptr_t>(signal), EVFILT_SIGNAL, EV_ADD, 0, 0, nullptr);
    if (::kevent(queue.get(), &event, 1, nullptr, 0, nullptr) != 0)
      throw system_error("cannot watch for signals", errno);
  }
  return queue;
}

/// The queue only counts signals, including ignored ones. The blocked signal itself stays pending, so it is
/// ignored for a moment, which discards it (sigaction(2)). sigwait() would block forever if other code took
/// the signal first.
std::optional<int> next_signal(const Fd& file) {
  const timespec now{};
  struct kevent event {};
  if (::kevent(file.get(), nullptr, 0, &event, 1, &now) != 1) return {};
  const int signal = static_cast<int>(event.ident);
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(signal, &ignored, &before);
  ::sigaction(signal, &before, nullptr);
  return signal;
}

}  // namespace kml
