#include "kml/base/signals.h"

#include "kml/base/error.h"
#include "kml/base/signal_file.h"

namespace kml {

Signals::Signals(std::initializer_list<int> signals) {
  sigemptyset(&set_);
  for (const int signal : signals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &set_, &before_);
  fd_ = make_signal_file(set_);
}

/// Discards the pending signals. Otherwise they would take effect once they are unblocked, although the work
/// they were meant to interrupt is done.
Signals::~Signals() {
  while (next()) {
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> Signals::next() const {
  return next_signal(fd_);
}

void throw_if_interrupted() {
  sigset_t pending;
  if (::sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM)))
    throw Error(ErrorCode::interrupted, "interrupted");
}

}  // namespace kml
