#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/signal_file.h"

namespace kml {

Fd make_signal_file(const sigset_t& signals) {
  Fd file(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!file) throw system_error("cannot watch for signals", errno);
  return file;
}

std::optional<int> next_signal(const Fd& file) {
  signalfd_siginfo info;
  if (::read(file.get(), &info, sizeof info) != sizeof info) return {};
  return static_cast<int>(info.ssi_signo);
}

}  // namespace kml
