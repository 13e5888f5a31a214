#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "local/loop/event_loop.h"
#include "local/scheduling/gang.h"
#include "local/store/store.h"

namespace kml::local {

struct NodeOptions {
  std::filesystem::path folder;  ///< state folder
  int fake_gpus = -1;            ///< -1: the number that NVML reports
  std::string fake_gpu_resource = std::string(kGpu);
  std::string cpu = {}, memory = {};          ///< quantities; empty: the machine's capacity
  std::vector<std::string> node_labels = {};  ///< "key=value"
  std::string log_limit = {};                 ///< a quantity; empty: kLogBytes
  int64_t pod_max_pids = 0;                   ///< processes and threads of a pod; 0: depends on the machine
  /// The binary to run as a pod's shim; by default the running one.
  std::filesystem::path binary = "/proc/self/exe";
  /// Delay before a Job's failed pod is replaced; doubled with each failure.
  std::chrono::nanoseconds retry_delay = std::chrono::seconds(10);
};

/// The single node of the embedded server, with everything that acts on objects: scheduler, supervisor, the
/// controllers of CronJobs, Jobs and PyTorchJobs, garbage collector. They communicate only through the store.
class LocalNode {
 public:
  LocalNode(EventLoop& loop, Store& store, const NodeOptions& options);
  ~LocalNode();

  /// Registers the Node object, finds the pods of an earlier server, and starts working.
  void start();

  /// Stops listening for Services. Without it, their proxy outlives the server, as pods do.
  void close_services();

  /// Sets the Node's condition DiskPressure if `disk_problem` is not empty; it is the condition's message.
  void show_disk(const std::string& disk_problem);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kml::local
