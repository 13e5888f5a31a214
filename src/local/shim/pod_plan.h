#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::local {

/// The environment variable that holds the pod's uid, and so identifies its processes wherever they moved.
inline constexpr std::string_view kPodMark = "KML_POD_UID";

/// One mount of a container. Sources are prepared by the server and exist when the shim starts.
struct Mount {
  std::string what;    ///< for messages: `claim "data"`
  std::string source;  ///< on this machine; empty for memory
  std::string path;    ///< in the container
  bool read_only = false;
  std::string memory_size = {};  ///< size limit of a volume in memory, in bytes; empty: none
  bool is_optional = false;      ///< if it cannot be mounted, the container runs without it
};

/// The parts of a container's securityContext that kml applies to its program.
struct Privileges {
  std::optional<int64_t> user = {}, group = {};  ///< default: the server's
  std::vector<int64_t> groups = {};              ///< supplementary; used if `user` or `group` is given
  bool no_new = false;                           ///< exec gains no privileges, e.g. from setuid programs
  bool read_only_root = false;                   ///< everything except volumes
  std::vector<std::string> dropped = {};         ///< capabilities: "NET_RAW", "ALL"
};

/// A check that is repeated while a container runs, as in v1.Probe, or a preStop hook, which is done once.
/// Times are in seconds.
struct ProbePlan {
  std::string action = {};  ///< "exec", "http", "tcp"; of a hook also "sleep"; empty: there is none
  std::vector<std::string> argv = {};
  int port = 0;  ///< on this machine
  std::string path = {};
  std::vector<std::string> headers = {};  ///< "Name: value"
  int64_t initial_delay = 0, period = 10, timeout = 1;
  int64_t successes = 1, failures = 3;  ///< how many in a row are needed
  int64_t grace = 0;  ///< between SIGTERM and SIGKILL, after a liveness or startup probe has failed

  explicit operator bool() const { return !action.empty(); }
};

struct ContainerPlan {
  std::string name;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< "NAME=value"
  std::string folder;                    ///< the working folder
  std::vector<Mount> mounts;
  std::string message_path = {};  ///< terminationMessagePath; empty: it has none
  bool message_from_log = false;  ///< terminationMessagePolicy FallbackToLogsOnError
  Privileges privileges = {};
  int64_t memory_limit = 0;  ///< in bytes; 0: no limit
  ProbePlan startup = {}, liveness = {}, readiness = {};
  ProbePlan pre_stop = {};  ///< precedes SIGTERM when the pod is stopped; takes at most its timeout
};

/// A folder of the cgroup file system below which this user may make cgroups.
struct CgroupRoot {
  std::string path;
  std::vector<std::string> controllers;  ///< of pids, memory and cpu, the ones that exist there
  bool is_unified = false;               ///< version 2
};

inline constexpr uint64_t kLogBytes = uint64_t{1} << 30;

/// Everything that a shim needs to run a pod. It looks up nothing else, so it can continue without the
/// server.
struct PodPlan {
  std::string uid, namespace_name, name;
  std::string restart_policy;  ///< Always, OnFailure, Never
  std::vector<ContainerPlan> init_containers, containers;
  /// The delay before the first restart of a container; doubled with each further one.
  double restart_delay_seconds = 10;
  /// About this much of the log is kept for each run of a container.
  uint64_t log_bytes = kLogBytes;
  int64_t max_processes = 0;  ///< of the whole pod, threads included; 0: no limit
  std::vector<CgroupRoot> cgroups = {};
};

Json to_json(const PodPlan& plan);
PodPlan pod_plan_from_json(const Json& json);

}  // namespace kml::local
