#pragma once

namespace kml {

/// While one exists, what is typed at the terminal of standard input is not shown. A signal that ends the
/// program shows it again. Nothing where standard input is no terminal. One at a time.
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
