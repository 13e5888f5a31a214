#include "kml/base/signals.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <optional>
#include <set>

#include "kml/base/ready_files.h"

namespace signals_test {

using namespace kml;

namespace {

bool is_blocked(int signal) {
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

}  // namespace

TEST_CASE("signals: each signal is read once, and has no other effect") {
  {
    const Signals signals{SIGUSR1, SIGUSR2};
    CHECK_FALSE(is_readable(signals.fd()));
    CHECK_FALSE(signals.next());
    ::raise(SIGUSR1);
    ::raise(SIGUSR2);
    CHECK(is_readable(signals.fd()));
    std::set<int> seen;
    while (const std::optional<int> signal = signals.next()) seen.insert(*signal);
    CHECK(seen == std::set<int>{SIGUSR1, SIGUSR2});
    CHECK_FALSE(is_readable(signals.fd()));
    ::raise(SIGUSR1);
    CHECK(signals.next() == SIGUSR1);
    ::raise(SIGUSR2);  // if the signal were still pending at the end, it would end the process
  }
  CHECK_FALSE(is_blocked(SIGUSR1));
}

TEST_CASE("signals: a signal that the process ignores is not reported") {
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGUSR1, &ignored, &before);
  {
    const Signals signals{SIGUSR1};
    ::raise(SIGUSR1);
    CHECK_FALSE(is_readable(signals.fd()));
    CHECK_FALSE(is_blocked(SIGUSR1));
  }
  ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace signals_test
