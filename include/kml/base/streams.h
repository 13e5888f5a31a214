#pragma once

#include <iosfwd>
#include <string_view>

namespace kml {

/// The streams of a command: `out` is for results, `err` is for messages about progress.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;  ///< `out` is a terminal with colors, and NO_COLOR is not set
  int width = 80;        ///< how many columns the terminal has
};

/// The streams of this process. Output to a terminal is cleaned (base/clean.h), so that names, reasons,
/// messages and logs cannot control the terminal. The text of each `<<` is cleaned separately.
Streams process_streams();

/// Text that is not cleaned: kml's own cursor movements and erasures, and logs that the user wants unchanged.
struct AsItIs {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, AsItIs written);

/// Turns off the echo of the terminal's input while this object exists. If Ctrl-C, SIGTERM, SIGHUP or SIGQUIT
/// ends the program, echo is turned on again. Does nothing if standard input is not a terminal. Only one such
/// object may exist at a time.
class QuietTerminal {
 public:
  QuietTerminal();
  ~QuietTerminal();
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

 private:
  bool is_terminal_ = false;
};

}  // namespace kml
