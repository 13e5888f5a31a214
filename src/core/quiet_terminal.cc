#include "kml/core/quiet_terminal.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>

namespace kml {

namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

termios g_shown;  ///< the terminal as it was; for the handler
std::array<struct sigaction, kEndingSignals.size()> g_before;

void restore_terminal() {
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &g_shown);
  for (size_t i = 0; i < kEndingSignals.size(); ++i) ::sigaction(kEndingSignals[i], &g_before[i], nullptr);
}

void restore_and_end(int signal) {
  restore_terminal();
  ::raise(signal);
}

}  // namespace

QuietTerminal::QuietTerminal() : is_terminal_(::tcgetattr(STDIN_FILENO, &g_shown) == 0) {
  if (!is_terminal_) return;
  struct sigaction action {};
  action.sa_handler = restore_and_end;
  for (size_t i = 0; i < kEndingSignals.size(); ++i) {
    ::sigaction(kEndingSignals[i], &action, &g_before[i]);
    if (g_before[i].sa_handler == SIG_IGN) ::sigaction(kEndingSignals[i], &g_before[i], nullptr);
  }
  termios quiet = g_shown;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
}

QuietTerminal::~QuietTerminal() {
  if (is_terminal_) restore_terminal();
}

}  // namespace kml
