#include "base/stop.h"

#include <csignal>

namespace trainer {

namespace {

volatile std::sig_atomic_t caught = 0;

}  // namespace

void catch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { caught = signal; };
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

int stop_signal() {
  return caught;
}

}  // namespace trainer
