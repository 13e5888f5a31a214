#include "kml/jobs/views/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/error.h"

namespace kml::jobs {

namespace {

sigset_t ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t set = ending_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw system_error("cannot watch for signals", errno);
}

/// Reads pending signals that check() has not read yet. Otherwise they would end the process here, before it
/// can say what continues without it.
Interrupt::~Interrupt() {
  signalfd_siginfo seen;
  while (::read(fd_.get(), &seen, sizeof seen) == sizeof seen) {
  }
  sigset_t set = ending_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::check() const {
  signalfd_siginfo info;
  if (::read(fd_.get(), &info, sizeof info) == sizeof info)
    throw Error(ErrorCode::interrupted, "interrupted");
}

void Interrupt::pause(std::chrono::milliseconds time) const {
  pollfd signal{fd(), POLLIN, 0};
  ::poll(&signal, 1, static_cast<int>(time.count()));
  check();
}

}  // namespace kml::jobs
