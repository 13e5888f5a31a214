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
  /// 128 plus the signal's number if a signal ended the process; 127 if it could not be started
  int exit_code = 0;
  std::string out;
  int start_errno = 0;  ///< why the process could not be started
  bool timed_out = false;
  bool is_too_long = false;  ///< whether the process was killed at the limit (ends_at_limit)
};

struct ProcessOptions {
  std::filesystem::path folder = {};
  size_t limit = size_t{16} << 20;  ///< how many bytes of output are kept
  /// whether the process is killed at the limit; otherwise the rest of its output is discarded
  bool ends_at_limit = false;
  std::vector<std::string> environment = {};  ///< "NAME=value"; added to the variables of this process
  bool inherit_input = false;                 ///< if false, standard input contains `input`
  std::string input = {};                     ///< at most 4 KiB, which every pipe can hold
  bool inherit_errors = false;                ///< if no option says otherwise, standard error is /dev/null
  bool merge_errors = false;                  ///< whether standard error goes to standard output
  /// if set, standard error goes to this file, which is emptied first
  std::filesystem::path errors_file = {};
  std::chrono::milliseconds time_limit{0};  ///< the process is killed after this time; 0 means no limit
};

/// A child process that is started without a shell, and whose standard output is captured. The destructor
/// kills it if it is still running.
class RunningProcess {
 public:
  explicit RunningProcess(const std::vector<std::string>& argv, const ProcessOptions& options = {});
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  /// Whether the process has ended, or was not started. It does not end while it waits because the pipe for
  /// its output is full (about 64 KiB).
  bool has_ended() const;
  /// Waits until the process ends. Call this only once.
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

/// Runs a program in the foreground, with this process's own input and output, and waits for its end. Signals
/// that this process blocks are not blocked in the program. Returns the program's exit code; 127 if the
/// program could not be started.
int run_in_front(const std::vector<std::string>& argv);

/// Returns a descriptor for the process (on Linux, a pidfd). Unlike a process id, it never refers to a later
/// process. It becomes readable when the process ends. Empty on failure: if the process no longer exists, or
/// on Linux before 5.3, where errno is ENOSYS.
Fd open_process(pid_t pid);

/// The exit code that a shell would report for a status from waitpid(): 128 plus the signal's number if a
/// signal ended the process.
int exit_code_of_status(int status);

/// The path of the running kml binary.
std::filesystem::path own_executable();

}  // namespace kml
