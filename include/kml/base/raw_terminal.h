#pragma once

#include <optional>

namespace kml {

struct TerminalSize {
  int columns = 0, rows = 0;
  bool operator==(const TerminalSize&) const = default;
};

/// The size of the terminal; empty if the file is not a terminal, or if its size is unknown.
std::optional<TerminalSize> terminal_size(int fd);

/// Puts the terminal of standard input into raw mode while this object exists: each key is read as it is
/// pressed, and no key has a special meaning. The earlier mode is restored even if the program crashes. Only
/// one such object may exist at a time.
class RawTerminal {
 public:
  /// The texts that are written to standard output when raw mode begins, and when the earlier mode is
  /// restored. These are string constants, because a crash writes the second one.
  struct Codes {
    const char *enter = "", *leave = "";
  };
  RawTerminal() : RawTerminal(Codes()) {}
  /// Throws Error if standard input is not a terminal.
  explicit RawTerminal(Codes codes);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  /// Restores the terminal's earlier mode and stops the process, as SIGTSTP asks. Returns when the process
  /// continues.
  void stop_process();
  /// Sets raw mode again, because a shell may have changed the mode while the process was stopped.
  void set_again();
};

}  // namespace kml
