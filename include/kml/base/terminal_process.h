#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/raw_terminal.h"

namespace kml {

/// A child process with a terminal of its own, for a loop that waits for many descriptors. Because of its
/// terminal, the process prints what it would print for a person: colors, lines of the terminal's width, and
/// progress bars. The destructor kills the process and hangs up the terminal.
class TerminalProcess {
 public:
  /// Starts the program. If that fails, look_for_end() is true at once, with exit code 127.
  TerminalProcess(const std::vector<std::string>& argv, TerminalSize size);
  ~TerminalProcess();
  TerminalProcess(const TerminalProcess&) = delete;
  TerminalProcess& operator=(const TerminalProcess&) = delete;

  /// Becomes readable when there is output; -1 after its end.
  int fd() const { return terminal_.get(); }
  /// Appends what has arrived, without waiting, but not much more than `most` bytes. Returns false at the
  /// end.
  bool read(std::string& out, size_t most);
  void resize(TerminalSize size) const;
  /// Checks whether the process has ended.
  bool look_for_end();
  /// 128 plus the signal's number if a signal ended the process. Only valid after the process has ended.
  int exit_code() const { return exit_code_; }

 private:
  Fd terminal_;
  pid_t child_ = 0;  ///< 0 if the process is not running
  int exit_code_ = 127;
};

}  // namespace kml
