#pragma once

#include <iosfwd>
#include <string_view>

namespace kml {

/// The streams of a command: results go to `out`, messages about its progress to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;  ///< `out` is a terminal, and NO_COLOR is not set
  int width = 80;        ///< columns of the terminal
};

/// The process's own streams. Output to a terminal is cleaned (core/clean.h), so that names, reasons,
/// messages and logs cannot control the terminal. Each `<<` is cleaned as a whole text.
Streams process_streams();

/// Text that is not cleaned: kml's own cursor movements and erasures, and logs that the user requested raw.
struct AsItIs {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, AsItIs written);

/// Turns off the terminal's echo of standard input while the object exists. A signal that ends the program
/// turns the echo on again. Does nothing if standard input is not a terminal. Only one may exist at a time.
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
