#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kml::local {

/// Settings of the embedded server. A running server keeps its settings until it stops.
struct ServeOptions {
  std::filesystem::path folder;  ///< state: store, kubeconfig, pods; empty means state_folder()/local
  int fake_gpus = -1;            ///< simulate this number of GPUs; -1 asks NVML for the real ones
  std::string fake_gpu_resource = "nvidia.com/gpu";  ///< or the resource of a slice: "nvidia.com/mig-1g.5gb"
  std::string cpu, memory;               ///< for pods, as Kubernetes quantities; empty means the machine's
  std::vector<std::string> node_labels;  ///< "key=value", in addition to the usual ones
  std::string log_limit = {};            ///< largest log of a container, a quantity; empty means 1Gi
  int port = 0;                          ///< 0 chooses a free port
  int64_t pod_max_pids = 0;              ///< limit on a pod's processes and threads; 0: the machine's default
};

struct DaemonStatus {
  bool running = false;  ///< its process is alive and has been ready before
  bool responds = true;  ///< false if a running server gave no answer for two seconds
  int pid = 0;           ///< negative in a pod, which does not see the server's process
  std::string url;
  std::filesystem::path folder, kubeconfig, log;
  std::filesystem::path socket;  ///< serves the same API without TLS to this user only; may be empty
};

/// Runs the server in this process until SIGTERM or SIGINT; running pods outlive it. Returns an exit code.
int serve(const ServeOptions& options);

/// Starts a server in the background if none runs for that folder, and waits until it responds. Returns its
/// status. Sets `started` if this call started it. Safe to call from many processes at once.
DaemonStatus ensure_running(const ServeOptions& options, bool& started);

DaemonStatus status(const std::filesystem::path& folder);
/// The options with which the running server was started.
ServeOptions settings_of(int pid);

/// Stops the server. With `stop_jobs`, ends its jobs first (SIGTERM, grace, SIGKILL); otherwise they keep
/// running and the next server finds them. If `on_hang` is also given and the server does not respond for a
/// while, calls `on_hang` with a warning, kills the server, and starts a new one to stop the jobs.
void stop(const std::filesystem::path& folder, bool stop_jobs,
          const std::function<void(const std::string&)>& on_hang = {});

/// Sets the command that replaces an image: `kml local image IMAGE=COMMAND`. An empty command removes the
/// setting.
void set_image(const std::filesystem::path& folder, const std::string& image,
               const std::vector<std::string>& command);

/// Runs the hidden command `kml daemon OPTIONS`, which ensure_running() starts.
int run_daemon(const std::string& options);

/// Runs the hidden command `kml shim FOLDER`, the shim of a pod.
int run_shim(const std::filesystem::path& pod_folder);

/// Runs the hidden command `kml proxy FOLDER`, which passes connections to Services on to their pods.
int run_proxy(const std::filesystem::path& state_folder);

/// The condition of one part of the embedded server's state.
struct StateFinding {
  enum Verdict { right, not_checked, damaged } verdict;
  std::string what;    ///< "store", "identity", "kubeconfig", "pods"
  std::string detail;  ///< a phrase about its condition
};

/// Implements `kml local check`. Changes nothing. Does not check the store of a running server.
std::vector<StateFinding> check_state(const std::filesystem::path& folder);

/// Implements `kml local repair`: copies the readable data into a new store, creates a missing identity, and
/// renames damaged files. Returns a sentence for each repair; empty if nothing was damaged. Throws Error if
/// the server is running.
std::vector<std::string> repair_state(const std::filesystem::path& folder);

/// The text of the man page on fields of Jobs and pods that the embedded server does not support.
std::string manual_of_fields();

}  // namespace kml::local
