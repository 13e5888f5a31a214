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
  int fake_gpus = -1;            ///< -1 asks NVML
  std::string fake_gpu_resource = std::string(kGpu);
  std::string cpu = {}, memory = {};          ///< quantities; empty means the machine's
  std::vector<std::string> node_labels = {};  ///< "key=value"
  std::string log_limit = {};                 ///< a quantity; empty means kLogBytes
  int64_t pod_max_pids = 0;                   ///< processes and threads of a pod; 0: by the machine's
  /// Run as a pod's shim; the running binary itself.
  std::filesystem::path binary = "/proc/self/exe";
  /// Before a Job's pod is made again after a failure (doubled each time).
  std::chrono::nanoseconds retry_delay = std::chrono::seconds(10);
};

/// The one node of the embedded server with all that acts on its objects: scheduler, supervisor, Job and
/// PyTorchJob controllers, garbage collector. They meet in the store only.
class LocalNode {
 public:
  LocalNode(EventLoop& loop, Store& store, const NodeOptions& options);
  ~LocalNode();

  /// Registers the Node object, finds again the pods of an earlier server, and begins to work.
  void start();

  /// Shows the Node with the condition DiskPressure where `disk_problem` says what is wrong with its disk.
  void show_disk(const std::string& disk_problem);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kml::local
