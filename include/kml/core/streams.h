#pragma once

#include <iosfwd>
#include <string_view>

namespace kml {

/// Where a command writes: data on `out`, narration on `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;  ///< a terminal, and NO_COLOR is not set
  int width = 80;        ///< columns of the terminal
};

/// The process's own streams. What is written to one that is a terminal is cleaned (core/clean.h), each `<<`
/// as a whole text, so that no name, reason, message or log can steer the terminal, whoever prints it.
Streams process_streams();

/// Text that is not cleaned: what moves the cursor or erases on purpose, and logs that were asked for raw.
struct AsItIs {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, AsItIs written);

/// While one exists, what is typed at the terminal of standard input is not shown. A signal that ends the
/// program shows it again. Nothing if standard input is not a terminal. One at a time.
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
