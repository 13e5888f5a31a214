#include "kml/job/views/interrupt.h"

#include <poll.h>
#include <signal.h>

#include "kml/base/error.h"
#include "kml/base/signal_file.h"

namespace kml::job {

namespace {

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t set = ending_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = make_signal_file(set);
}

/// Reads pending signals that check() has not read. Otherwise they would end the process here, before kml can
/// print what keeps running without it.
Interrupt::~Interrupt() {
  while (next_signal(fd_)) {
  }
  sigset_t set = ending_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::check() const {
  if (next_signal(fd_)) throw Error(ErrorCode::interrupted, "interrupted");
}

void Interrupt::pause(std::chrono::milliseconds time) const {
  pollfd signal{fd(), POLLIN, 0};
  ::poll(&signal, 1, static_cast<int>(time.count()));
  check();
}

}  // namespace kml::job
