#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace kml::local {

/// What processes use now, and have used.
struct ProcessUsage {
  double cpu_seconds = 0;    ///< with what those used that they have waited for
  int64_t memory = 0;        ///< bytes now; what several share counts once
  int64_t peak_process = 0;  ///< bytes: the most that one of them had resident
};

/// The machine's processes, read at once from /proc: who asks for many pods' usage reads it once.
class ProcessTable {
 public:
  ProcessTable();

  bool is_child(pid_t child, pid_t parent) const;
  /// Of the process's descendants, without itself, and of those that it has waited for.
  ProcessUsage below(pid_t process) const;

 private:
  struct Process {
    pid_t parent = 0;
    double own_seconds = 0, waited_seconds = 0;
    int64_t resident = 0;
  };
  void add(pid_t process, ProcessUsage& sum) const;

  std::map<pid_t, Process> processes_;
  std::multimap<pid_t, pid_t> children_;
};

/// Seconds of all processors since boot that they did not idle, and bytes that are not available to new
/// programs.
ProcessUsage machine_usage();

}  // namespace kml::local
