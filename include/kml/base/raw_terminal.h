#pragma once

#include <optional>

namespace kml {

struct TerminalSize {
  int columns = 0, rows = 0;
  bool operator==(const TerminalSize&) const = default;
};

/// The size of the terminal; empty if the file is not a terminal, or does not know its size.
std::optional<TerminalSize> terminal_size(int fd);

/// Standard input's terminal in raw mode while the object exists: each key is read as it is pressed, and no
/// key has a special meaning. The earlier mode also returns when the program crashes. Only one may exist at a
/// time.
class RawTerminal {
 public:
  /// Throws Error if standard input is not a terminal.
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  /// Stops the process, as SIGTSTP asks, with the terminal in its earlier mode. Returns once it continues.
  void stop_process();
  /// Sets the raw mode again, which a shell may have changed while the process was stopped.
  void set_again();
};

}  // namespace kml
