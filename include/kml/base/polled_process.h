#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "kml/base/files.h"

namespace kml {

/// A child process whose standard output and standard error arrive on two descriptors, for a loop that waits
/// for many descriptors. Its standard input is empty. The process has its own process group, so that a
/// terminal's Ctrl-C does not reach it. The destructor kills the process if it is still running.
class PolledProcess {
 public:
  /// Starts the program. If that fails, look_for_end() is true at once, with exit code 127.
  explicit PolledProcess(const std::vector<std::string>& argv);
  ~PolledProcess();
  PolledProcess(const PolledProcess&) = delete;
  PolledProcess& operator=(const PolledProcess&) = delete;

  /// The descriptors to wait for; -1 after their end.
  int out() const { return out_.get(); }
  int errors() const { return errors_.get(); }
  /// Appends what has arrived, without waiting. Each of the two texts keeps at most `limit` bytes.
  void read(std::string& out, std::string& errors, size_t limit);
  /// Appends what has arrived, without waiting, but not much more than `most` bytes to each text. The rest
  /// stays in the pipes, so a process that writes faster than this one reads has to wait.
  void read_some(std::string& out, std::string& errors, size_t most);
  /// Returns whether the process has ended. Output that it wrote before must still be read.
  bool look_for_end();
  /// 128 plus the signal's number if a signal ended the process. Only valid after the process has ended.
  int exit_code() const { return exit_code_; }
  void send(int signal) const;

 private:
  pid_t child_ = 0;  ///< 0 if the process is not running
  Fd out_, errors_;
  int exit_code_ = 127;
};

}  // namespace kml
