#include "kml/base/raw_terminal.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "kml/base/error.h"

namespace kml {

namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

termios g_cooked;  ///< the terminal's original settings, for the signal handler
RawTerminal::Codes g_codes;

void write_codes(const char* codes) {
  const size_t size = std::strlen(codes);
  if (size > 0 && ::write(STDOUT_FILENO, codes, size) < 0) return;  // nobody would see a message
}

void set_cooked() {
  write_codes(g_codes.leave);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &g_cooked);
}

/// SA_RESETHAND has restored the signal's default action, so raise() ends the process.
void set_cooked_and_crash(int signal) {
  set_cooked();
  ::raise(signal);
}

void on_crash(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : kCrashes) ::sigaction(signal, &action, nullptr);
}

/// Makes `signal` perform its default action, even if it is blocked now.
void let_it_act(int signal) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &set, &before);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

std::optional<TerminalSize> terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return TerminalSize{size.ws_col, size.ws_row};
}

RawTerminal::RawTerminal(Codes codes) {
  if (::tcgetattr(STDIN_FILENO, &g_cooked) != 0)
    throw system_error("cannot use standard input as a terminal", errno);
  g_codes = codes;
  on_crash(set_cooked_and_crash);
  set_again();
}

RawTerminal::~RawTerminal() {
  set_cooked();
  on_crash(SIG_DFL);
}

void RawTerminal::stop_process() {
  set_cooked();
  let_it_act(SIGTSTP);
  set_again();
}

void RawTerminal::set_again() {
  termios raw = g_cooked;
  ::cfmakeraw(&raw);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  write_codes(g_codes.enter);
}

}  // namespace kml
