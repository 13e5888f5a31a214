#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::local {

/// Settings of the embedded server. A running server keeps its settings until it stops.
struct ServeOptions {
  /// the folder with the server's state (store, kubeconfig, pods); empty means state_folder()/local
  std::filesystem::path folder;
  int fake_gpus = -1;  ///< the number of simulated GPUs; -1 means the real ones
  /// the resource of the simulated GPUs; may also be the resource of a slice, such as "nvidia.com/mig-1g.5gb"
  std::string fake_gpu_resource = "nvidia.com/gpu";
  /// how much the pods may use, as Kubernetes quantities; empty means all that the machine has
  std::string cpu, memory;
  std::vector<std::string> node_labels;  ///< "key=value"; added to the usual labels
  /// the size limit of a container's log, as a quantity; empty means 1Gi
  std::string log_limit = {};
  int port = 0;  ///< 0 chooses a free port
  /// the limit on a pod's processes and threads; 0 means the machine's default
  int64_t pod_max_pids = 0;
};

struct DaemonStatus {
  bool running = false;  ///< the server's process is alive and has been ready before
  bool responds = true;  ///< false if the running server did not respond in time
  int pid = 0;           ///< negative if the caller is in a pod, which does not see the server's process
  std::string url;
  std::filesystem::path folder, kubeconfig, log;
  std::filesystem::path socket;  ///< a socket with the same API without TLS, for this user only; may be empty
};

/// Runs the server in this process until SIGTERM or SIGINT. Running pods continue after it ends. Returns an
/// exit code.
int serve(const ServeOptions& options);

/// Starts a server in the background if none is running for that folder, and waits until it responds. Returns
/// its status. Sets `started` if this call started it. Can be called by many processes at the same time.
DaemonStatus ensure_running(const ServeOptions& options, bool& started);
/// Like the other ensure_running(), for the default folder and with the options of the last server, whose
/// pods may still run. After stop() with `stop_jobs`, the options are the defaults.
DaemonStatus ensure_running(bool& started);

/// The reason of an Error: the user has ended the server.
inline constexpr std::string_view kServerDown = "ServerDown";
/// From now on, in this process and those that it starts, ensure_running(started) throws Error (kServerDown)
/// instead of starting a server that the user has ended with stop(). For commands that only watch.
void keep_down();

DaemonStatus status(const std::filesystem::path& folder);
/// The options with which the running server was started, or the defaults if it runs in the foreground. `pid`
/// is its process id.
ServeOptions settings_of(int pid);

/// Stops the server. With `stop_jobs`, first ends its jobs (SIGTERM, grace period, SIGKILL); otherwise they
/// keep running, and the next server finds them. If `on_hang` is also given and the server does not respond
/// for a while, calls `on_hang` with a warning, kills the server, and starts a new one to stop the jobs.
void stop(const std::filesystem::path& folder, bool stop_jobs,
          const std::function<void(const std::string&)>& on_hang = {});

/// Implements `kml local image IMAGE=COMMAND`: sets the command that runs instead of an image. An empty
/// command removes the setting.
void set_image(const std::filesystem::path& folder, const std::string& image,
               const std::vector<std::string>& command);

/// Runs the hidden command `kml daemon OPTIONS`, which ensure_running() starts.
int run_daemon(const std::string& options);

/// Runs the hidden command `kml shim FOLDER`, the process that runs one pod.
int run_shim(const std::filesystem::path& pod_folder);

/// Runs the hidden command `kml proxy FOLDER`, which forwards connections to Services to their pods.
int run_proxy(const std::filesystem::path& state_folder);

/// The condition of one part of the embedded server's state.
struct StateFinding {
  enum Verdict { right, not_checked, damaged } verdict;
  std::string what;    ///< the part, such as "store", "identity" or "pods"
  std::string detail;  ///< a phrase about the condition of that part
};

/// Implements `kml local check`. Changes nothing. Does not check the store while the server is running.
std::vector<StateFinding> check_state(const std::filesystem::path& folder);

/// Implements `kml local repair`: copies the readable data into a new store, replaces a damaged identity by a
/// new one, and renames damaged files. Returns a sentence for each repair; empty if nothing was damaged.
/// Throws Error if the server is running.
std::vector<std::string> repair_state(const std::filesystem::path& folder);

/// The text of the man page on fields of Jobs and pods that the embedded server does not support.
std::string manual_of_fields();

}  // namespace kml::local
