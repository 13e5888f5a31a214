#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/files.h"

namespace kml {

/// The result of a child process.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal if a signal ended it; 127 if it could not be started
  std::string out;
  int start_errno = 0;  ///< why it could not be started
  bool timed_out = false;
  bool is_too_long = false;  ///< ProcessOptions::ends_at_limit
};

struct ProcessOptions {
  std::filesystem::path folder = {};
  size_t limit = size_t{16} << 20;            ///< bytes of output kept
  bool ends_at_limit = false;                 ///< true: it is killed there; false: the rest is discarded
  std::vector<std::string> environment = {};  ///< "NAME=value", override this process's variables
  bool inherit_input = false;                 ///< false: its standard input is empty
  bool inherit_errors = false;                ///< false: its standard error is /dev/null
  bool merge_errors = false;                  ///< true: its standard error goes to its standard output
  std::filesystem::path errors_file = {};     ///< if set, its standard error goes to this file, emptied first
  std::chrono::milliseconds time_limit{0};    ///< kills it after this time; 0 means no limit
};

/// A child process, started without a shell. Its standard output is captured. The destructor kills it if it
/// still runs.
class RunningProcess {
 public:
  explicit RunningProcess(const std::vector<std::string>& argv, const ProcessOptions& options = {});
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  /// Whether finish() would return at once. False while the process waits for space in the pipe of its
  /// output, about 64 KiB.
  bool has_ended() const;
  /// Waits until the process ends. Call it once.
  ProcessResult finish();

 private:
  pid_t child_ = 0;  ///< 0 if no child is running
  Fd reader_;
  size_t limit_;
  bool ends_at_limit_;
  std::chrono::steady_clock::time_point end_;
  int start_errno_ = 0;
};

/// Runs a program to its end.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

/// Returns a pidfd. Unlike a process id, it never refers to a later process. It becomes readable when the
/// process ends. Empty if the process has already ended, or with errno ENOSYS on Linux before 5.3.
Fd open_process(pid_t pid);

/// Path of the running kml binary.
std::filesystem::path own_executable();

}  // namespace kml
