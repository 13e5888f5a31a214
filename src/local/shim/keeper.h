#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "kml/core/files.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// What a keeper reports about its container, as records in a pipe.
struct KeeperReport {
  enum Kind : int {
    no_namespaces,  ///< they cannot be used here; the keeper has ended
    refused,        ///< the container cannot be made; the keeper has ended
    started,
    ended,
  } kind;
  int status;      ///< of `ended`: as waitpid(2) gives it
  char text[512];  ///< of `no_namespaces` and `refused`: why
  // Of `ended`: what its processes have used, those that they waited for too.
  int64_t cpu_microseconds;
  int64_t peak_process;  ///< bytes: the most that one of them had resident
};

/// A running container's first process, which owns all others: the first of a pid namespace where those are
/// permitted, else their subreaper. It starts the container's program, hands SIGTERM on to that alone, and
/// when that ends or SIGUSR1 arrives or the shim dies, ends whatever is left and then itself.
struct Keeper {
  pid_t pid = 0;
  Fd reports;
  Fd requests = {};  ///< to it, for further commands: a CommandRequest with the connection and descriptors
};

struct KeeperSettings {
  const ContainerPlan& container;
  int out, err;                   ///< the container's standard output and error
  std::filesystem::path message;  ///< the file that is to be at its terminationMessagePath
  std::filesystem::path stage;    ///< see MountRequest
  bool namespaces;
  std::vector<CgroupEntrance> cgroups = {};
  /// Of the user who runs it, where no cgroup counts the pod's; 0: no limit.
  int64_t max_processes = 0;
};

/// Throws Error if no process can be made. Without `namespaces`, or where the kernel refuses them
/// outright, there is none of them.
Keeper start_keeper(const KeeperSettings& settings);

}  // namespace kml::local
