#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/files.h"

namespace kml::local {

/// A port on this machine where requests for one model arrive, even while the idle model is scaled to zero.
struct Front {
  struct Replica {
    std::string address;  ///< IPv4 or IPv6
    int port;
  };
  std::string name;  ///< "NAMESPACE/NAME", for responses with status 503
  int port;          ///< open on all addresses
  std::vector<Replica> ready;
  std::chrono::seconds idle;  ///< the model is idle after this time without a request
  std::string problem = {};   ///< why no replica is ready
  bool is_hopeless = false;   ///< whether waiting for a replica is useless
};

/// The embedded server's proxy for Services, as a process of another program: in a cluster, the activator.
/// Requests wait until a replica is ready.
class FrontProxy {
 public:
  /// Prepares the files of the process in `folder`. Throws Error if that fails.
  explicit FrontProxy(const std::filesystem::path& folder);
  ~FrontProxy();

  /// Makes the proxy serve this port. The first call starts the process.
  void show(const Front& front);
  /// Closes the proxy, and returns once all connections have ended. New connections are rejected.
  void close();

  enum class Demand { none, wanted, idle };
  /// What the proxy reports: `wanted` means that a request waits for a replica, `idle` that replicas are
  /// ready but not in use.
  Demand demand();
  /// A descriptor that becomes readable when the demand changes.
  int fd() const { return news_.get(); }
  /// Throws Error if the proxy's process has ended.
  void require_running() const;

 private:
  struct Files;

  std::filesystem::path folder_;
  std::unique_ptr<Files> files_;
  Fd news_;
  int pid_ = 0;
};

}  // namespace kml::local
