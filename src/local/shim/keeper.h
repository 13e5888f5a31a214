#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "kml/base/files.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// A keeper's reports about its container, as records in a pipe.
struct KeeperReport {
  enum Kind : int {
    no_namespaces,  ///< namespaces cannot be used here; the keeper has ended
    refused,        ///< the container cannot be made; the keeper has ended
    started,
    ended,
  } kind;
  int status;      ///< if `ended`: the status of waitpid(2)
  char text[512];  ///< if `no_namespaces` or `refused`: why
  // If `ended`: resources used by the container's processes, including children they have waited for.
  int64_t cpu_microseconds;
  int64_t peak_process;  ///< the largest resident size of one of them, in bytes
};

/// A running container's first process, which owns all others: it is the first of a pid namespace if those
/// are permitted, otherwise their subreaper. It starts the container's program and forwards SIGTERM to it
/// alone. When the program ends, SIGUSR1 arrives or the shim dies, it kills all remaining processes and then
/// ends.
struct Keeper {
  pid_t pid = 0;
  Fd reports;
  Fd requests = {};  ///< takes a CommandRequest with its connection and descriptors
};

struct KeeperSettings {
  const ContainerPlan& container;
  int out, err;                   ///< the container's standard output and error
  std::filesystem::path message;  ///< the file to mount at its terminationMessagePath
  std::filesystem::path stage;    ///< see MountRequest
  bool namespaces;
  std::vector<CgroupEntrance> cgroups = {};
  /// Limit on the user's processes, used if no cgroup counts the pod's; 0: no limit.
  int64_t max_processes = 0;
};

/// Creates no namespaces if `namespaces` is false or the kernel refuses to create them. Throws Error if no
/// process can be created.
Keeper start_keeper(const KeeperSettings& settings);

}  // namespace kml::local
