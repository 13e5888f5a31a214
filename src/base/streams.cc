#include "kml/base/streams.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <streambuf>

#include "kml/base/clean.h"
#include "kml/base/files.h"

namespace kml {

namespace {

/// Cleans text before it reaches the buffer of a terminal.
class CleaningBuffer : public std::streambuf {
 public:
  explicit CleaningBuffer(std::streambuf* terminal) : terminal_(*terminal) {}

  bool put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return terminal_.sputn(text.data(), size) == size;
  }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return put(clean({text, static_cast<size_t>(size)})) ? size : 0;
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override { return terminal_.pubsync(); }

 private:
  std::streambuf& terminal_;
};

void clean_what_is_written_to(std::ostream& stream) {
  if (dynamic_cast<CleaningBuffer*>(stream.rdbuf())) return;
  stream.rdbuf(new CleaningBuffer(
      stream.rdbuf()));  // the buffer is never deleted, because the last flush happens after all destructors
}

}  // namespace

Streams process_streams() {
  Streams streams{std::cout, std::cerr};
  streams.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  streams.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  if (streams.out_is_terminal) clean_what_is_written_to(std::cout);
  if (streams.err_is_terminal) clean_what_is_written_to(std::cerr);
  streams.colours =
      streams.out_is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  winsize size{};
  if (streams.out_is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    streams.width = size.ws_col;
  return streams;
}

std::ostream& operator<<(std::ostream& out, AsItIs written) {
  if (auto* buffer = dynamic_cast<CleaningBuffer*>(out.rdbuf())) {
    buffer->put(written.text);
    return out;
  }
  return out << written.text;
}

namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

termios g_shown;  ///< the original settings of the terminal, for the signal handler
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
