#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "local/loop/work_queue.h"
#include "local/services/activator.h"
#include "local/services/routes.h"
#include "local/shim/status_file.h"
#include "local/store/store.h"

namespace kml::local {

/// Gives each Service with a selector a port on this machine (spec.ports[].nodePort), and keeps a proxy
/// running that passes connections on to the Service's ready pods. Headless Services get no port.
class ServiceController {
 public:
  /// Runs the proxy as `binary proxy STATE`.
  ServiceController(EventLoop& loop, Store& store, EventRecorder& events, std::filesystem::path state,
                    std::filesystem::path binary);

  void recover();
  /// Makes the proxy stop listening; it exits when its connections have ended. Called when the server ends
  /// its jobs and stops.
  void close();

 private:
  void look();
  void give_ports(const Json& service);
  std::vector<ServiceRoute> routes() const;
  void require_proxy();

  EventLoop& loop_;
  Store& store_;
  std::filesystem::path state_, binary_;
  PodFolder folder_;
  StatusFile file_;
  Activator activator_;
  WorkQueue queue_;
  std::map<std::pair<std::string, int>, int>
      given_;      ///< ports on this machine, by the Service's uid and port
  Json written_;   ///< the routes that were last written
  int proxy_ = 0;  ///< the pid of the proxy that this server has started
  bool closed_ = false;
};

}  // namespace kml::local
