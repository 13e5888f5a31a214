#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kml::local {

/// Settings of the embedded server; those of a running one stay until it stops.
struct ServeOptions {
  std::filesystem::path folder;  ///< state: store, kubeconfig, pods; empty means state_folder()/local
  int fake_gpus = -1;            ///< pretend that many; -1 asks NVML
  std::string fake_gpu_resource = "nvidia.com/gpu";  ///< or a slice's: "nvidia.com/mig-1g.5gb"
  std::string cpu, memory;               ///< slots, as Kubernetes quantities; empty means the machine's
  std::vector<std::string> node_labels;  ///< "key=value", besides the usual ones
  std::string log_limit = {};            ///< of each container's log, a quantity; empty means 1Gi
  int port = 0;                          ///< 0 picks a free one
  int64_t pod_max_pids = 0;              ///< processes and threads of a pod; 0: by the machine's
};

struct DaemonStatus {
  bool running = false;
  int pid = 0;
  std::string url;
  std::filesystem::path folder, kubeconfig, log;
  std::filesystem::path socket;  ///< the same API without TLS, for this user alone; may be empty
};

/// Runs the server in this process until SIGTERM or SIGINT; running pods outlive it. Returns an exit code.
int serve(const ServeOptions& options);

/// Starts a server in the background if none runs for that folder, and waits until it answers. Returns its
/// status; `started` tells whether it was started now. Safe to call from many processes at once.
DaemonStatus ensure_running(const ServeOptions& options, bool& started);

DaemonStatus status(const std::filesystem::path& folder);
/// What a server that runs in the background was started with.
ServeOptions settings_of(int pid);

/// Stops the server. With `stop_jobs`, its jobs are ended first (SIGTERM, grace, SIGKILL); else they go on
/// and the next server finds them. With `on_hang` too, a server that answers nothing for a time is killed,
/// and a new one ends the jobs; before that, `on_hang` is called with a sentence that says so.
void stop(const std::filesystem::path& folder, bool stop_jobs,
          const std::function<void(const std::string&)>& on_hang = {});

/// The command that stands for an image here: `kml local image IMAGE=COMMAND`. An empty command removes it.
void set_image(const std::filesystem::path& folder, const std::string& image,
               const std::vector<std::string>& command);

/// The hidden subcommand that ensure_running starts: `kml daemon OPTIONS`.
int run_daemon(const std::string& options);

/// The hidden subcommand that a pod's shim runs as: `kml shim FOLDER`.
int run_shim(const std::filesystem::path& pod_folder);

/// The condition of one part of the embedded server's state.
struct StateFinding {
  enum Verdict { right, not_checked, damaged } verdict;
  std::string what;    ///< "store", "identity", "kubeconfig", "pods"
  std::string detail;  ///< a phrase
};

/// `kml local check`: changes nothing. The store of a server that runs is not checked.
std::vector<StateFinding> check_state(const std::filesystem::path& folder);

/// `kml local repair`: brings what can be read into a new store, makes a missing identity, and keeps what was
/// damaged under another name beside it. Returns what it did, a sentence each; nothing if all was right.
/// Throws Error while the server runs.
std::vector<std::string> repair_state(const std::filesystem::path& folder);

/// What becomes of the fields of Jobs and pods that the embedded server does not obey, for its man page.
std::string manual_of_fields();

}  // namespace kml::local
