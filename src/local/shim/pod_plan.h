#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::local {

/// The environment variable with the pod's uid, which identifies the pod's processes wherever they are.
inline constexpr std::string_view kPodMark = "KML_POD_UID";

/// A mount of a container. The server prepares the source, so it exists when the shim starts.
struct Mount {
  std::string what;    ///< the volume in words, for messages: `claim "data"`
  std::string source;  ///< the path on this machine; empty for a volume in memory
  std::string path;    ///< the path in the container
  bool read_only = false;
  std::string memory_size = {};  ///< for a volume in memory, its maximum size in bytes; empty means no limit
  bool is_optional = false;      ///< whether the container runs even if this cannot be mounted
};

/// The parts of a container's securityContext that kml applies to its program.
struct Privileges {
  std::optional<int64_t> user = {}, group = {};  ///< default: the server's
  std::vector<int64_t> groups =
      {};  ///< supplementary groups; they replace the server's if anything is set here
  /// exec() gives no more privileges, for example through setuid programs
  bool no_new = false;
  bool read_only_root = false;            ///< everything except volumes is read-only
  std::vector<std::string> dropped = {};  ///< capabilities: "NET_RAW", "ALL"
};

/// A check that is repeated while a container runs, as in v1.Probe, or a preStop hook, which runs once. Times
/// are in seconds.
struct ProbePlan {
  /// "exec", "http" or "tcp"; a hook may also have "sleep"; empty means that there is none
  std::string action = {};
  std::vector<std::string> argv = {};
  int port = 0;  ///< the port on this machine
  std::string path = {};
  std::vector<std::string> headers = {};  ///< "Name: value"
  int64_t initial_delay = 0, period = 10, timeout = 1;
  int64_t successes = 1, failures = 3;  ///< how many successes or failures in a row change the probe's result
  int64_t grace = 0;  ///< the time between SIGTERM and SIGKILL after a liveness or startup probe has failed

  explicit operator bool() const { return !action.empty(); }
};

struct ContainerPlan {
  std::string name;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< "NAME=value"
  std::string folder;                    ///< the working folder
  std::vector<Mount> mounts;
  std::vector<std::string> outputs = {};  ///< "NAME=PATH": what the program must write, or else it fails
  std::string message_path = {};          ///< the container's terminationMessagePath; empty if it has none
  bool message_from_log = false;          ///< terminationMessagePolicy FallbackToLogsOnError
  Privileges privileges = {};
  int64_t memory_limit = 0;  ///< the limit in bytes; 0 means no limit
  ProbePlan startup = {}, liveness = {}, readiness = {};
  ProbePlan pre_stop = {};  ///< runs before SIGTERM when the pod is stopped, for at most its timeout
};

/// A folder in the cgroup file system below which this user can create cgroups.
struct CgroupRoot {
  std::string path;
  std::vector<std::string>
      controllers;          ///< which of the controllers pids, memory and cpu exist in the folder
  bool is_unified = false;  ///< version 2
};

inline constexpr uint64_t kLogBytes = uint64_t{1} << 30;

/// Everything that a shim needs in order to run a pod. The shim looks up nothing else, so it can continue
/// without the server.
struct PodPlan {
  std::string uid, namespace_name, name;
  std::string restart_policy;  ///< Always, OnFailure or Never
  std::vector<ContainerPlan> init_containers, containers;
  /// The first restart of a container is at once. This is the delay before the second; it doubles with each
  /// further restart, up to five minutes.
  double restart_delay_seconds = 10;
  /// For each run of a container, about this many bytes of its log are kept.
  uint64_t log_bytes = kLogBytes;
  int64_t max_processes = 0;  ///< limit for the whole pod, including threads; 0 means no limit
  std::vector<CgroupRoot> cgroups = {};
};

Json to_json(const PodPlan& plan);
PodPlan pod_plan_from_json(const Json& json);

}  // namespace kml::local
