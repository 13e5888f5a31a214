#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace kml::local {

/// The resources that processes use now and have used so far.
struct ProcessUsage {
  double cpu_seconds = 0;  ///< including children that were waited for
  int64_t memory = 0;  ///< current use in bytes; shared memory is divided among its processes, if possible
  int64_t peak_process = 0;  ///< the largest resident size of any single process, in bytes
};

/// A snapshot of the machine's processes, read once from /proc. One snapshot is enough to compute the usage
/// of many pods.
class ProcessTable {
 public:
  ProcessTable();

  bool is_child(pid_t child, pid_t parent) const;
  /// The usage of the process's descendants without the process itself. Includes children that were waited
  /// for.
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

/// How many seconds processors were busy since boot, summed over all processors, and how many bytes are not
/// available to new programs.
ProcessUsage machine_usage();

}  // namespace kml::local
