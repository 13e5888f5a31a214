#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "kml/base/files.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// A keeper's report about its container. Each report is a record in a pipe.
struct KeeperReport {
  enum Kind : int {
    no_namespaces,  ///< namespaces cannot be used here, and the keeper has ended
    refused,        ///< the container cannot be created, and the keeper has ended
    started,
    ended,
  } kind;
  int status;      ///< set if `ended`: the status from waitpid(2)
  char text[512];  ///< set if `no_namespaces` or `refused`: the reason
  // Set if `ended`: resources that the container's processes used, including children they have waited for.
  int64_t cpu_microseconds;
  int64_t peak_process;  ///< the largest resident size of a single process, in bytes
};

/// The first process in a running container, from which all others descend. It is the first process of a pid
/// namespace or, if those are forbidden, the subreaper of the others. It starts the container's program, and
/// forwards SIGTERM to the program only. When the program ends, SIGUSR1 arrives or the shim dies, it kills
/// all remaining processes and then ends.
struct Keeper {
  pid_t pid = 0;
  Fd reports;
  Fd requests = {};  ///< receives CommandRequests, each with its connection and descriptors
};

struct KeeperSettings {
  const ContainerPlan& container;
  int out, err;                   ///< the container's standard output and error
  std::filesystem::path message;  ///< the file to mount at the container's terminationMessagePath
  std::filesystem::path stage;    ///< see MountRequest
  bool namespaces;
  std::vector<CgroupEntrance> cgroups = {};
  /// Limit for the number of the user's processes, used if no cgroup limits the pod; 0 means no limit.
  int64_t max_processes = 0;
};

/// Creates no namespaces if `namespaces` is false or the kernel refuses to create them. Throws Error if no
/// process can be created.
Keeper start_keeper(const KeeperSettings& settings);

}  // namespace kml::local
