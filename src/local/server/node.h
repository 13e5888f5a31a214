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
  int fake_gpus = -1;            ///< -1 means the number of real ones
  std::string fake_gpu_resource = std::string(kGpu);
  std::string cpu = {}, memory = {};          ///< quantities; empty means the machine's capacity
  std::vector<std::string> node_labels = {};  ///< "key=value"
  std::string log_limit = {};                 ///< a quantity; empty means kLogBytes
  /// limit for a pod's processes and threads; 0 means a limit that depends on the machine
  int64_t pod_max_pids = 0;
  /// The binary that runs as a pod's shim; the default is the running one.
  std::filesystem::path binary = "/proc/self/exe";
  /// The delay before a failed pod of a Job is replaced. It doubles with each failure.
  std::chrono::nanoseconds retry_delay = std::chrono::seconds(10);
};

/// The single node of the embedded server, and all parts that act on objects: the scheduler, the supervisor,
/// the garbage collector, and the controllers for Jobs, Deployments, Services and other kinds. They
/// communicate only through the store.
class LocalNode {
 public:
  LocalNode(EventLoop& loop, Store& store, const NodeOptions& options);
  ~LocalNode();

  /// Registers the Node object, finds the pods of an earlier server, and starts to work.
  void start();

  /// Stops listening for Services. Unless this is called, their proxy outlives the server, as pods do.
  void close_services();

  /// Sets the condition DiskPressure on the Node, with `disk_problem` as its message. An empty text clears
  /// it.
  void show_disk(const std::string& disk_problem);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kml::local
