#include "kml/core/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/error.h"

namespace kml {

Signals::Signals(std::initializer_list<int> signals) {
  ::sigemptyset(&set_);
  for (const int signal : signals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      ::sigaddset(&set_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &set_, &before_);
  fd_ = Fd(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw system_error("cannot watch for signals", errno);
}

/// Discards the pending signals: they would take effect once they are no longer blocked, although the work
/// that they should interrupt is done.
Signals::~Signals() {
  while (next()) {
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> Signals::next() const {
  signalfd_siginfo info;
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return {};
  return static_cast<int>(info.ssi_signo);
}

}  // namespace kml
