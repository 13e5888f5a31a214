#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "kml/core/files.h"

namespace kml {

/// What a finished child process left.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal where a signal ended it; 127 where it could not be started
  std::string out;
  int start_errno = 0;  ///< why it could not be started
  bool timed_out = false;
};

struct ProcessOptions {
  std::filesystem::path folder = {};
  size_t limit = size_t{16} << 20;            ///< bytes of output kept; the rest is discarded
  std::vector<std::string> environment = {};  ///< "NAME=value", beside and over this process's own
  bool inherit_input = false;                 ///< else it is empty
  bool inherit_errors = false;                ///< else they go to /dev/null
  std::chrono::milliseconds time_limit{0};    ///< it is killed then; 0 waits without limit
};

/// A program that runs beside this one, started without a shell; its standard output is captured. Nobody's
/// when this object goes: it is killed then.
class RunningProcess {
 public:
  explicit RunningProcess(const std::vector<std::string>& argv, const ProcessOptions& options = {});
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  /// Waits for its end. To be called once.
  ProcessResult finish();

 private:
  pid_t child_ = 0;  ///< 0 if none runs
  Fd reader_;
  size_t limit_;
  std::chrono::steady_clock::time_point end_;
  int start_errno_ = 0;
};

/// Runs a program to its end.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

/// A handle of a process, which no other one can take over as it can a number; none if it has ended. It is
/// readable when the process ends.
Fd open_process(pid_t pid);

/// Path of the running kml binary.
std::filesystem::path own_executable();

}  // namespace kml
