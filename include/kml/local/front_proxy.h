#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/files.h"

namespace kml::local {

/// One port on this machine that stands for a program that is scaled to zero while it is idle.
struct Front {
  struct Replica {
    std::string address;  ///< IPv4 or IPv6
    int port;
  };
  std::string name;  ///< "NAMESPACE/NAME", for answers of status 503
  int port;          ///< open at all addresses
  std::vector<Replica> ready;
  std::chrono::seconds idle;  ///< it is idle when no request has arrived for this long
  std::string problem = {};   ///< why no replica is ready
  bool is_hopeless = false;   ///< waiting for a replica is useless
};

/// The embedded server's proxy of Services, as a process controlled by another program than that server: in a
/// cluster, the activator. Requests wait until a replica is ready.
class FrontProxy {
 public:
  /// Starts the process, with its files in `folder`. Throws Error.
  explicit FrontProxy(const std::filesystem::path& folder);
  ~FrontProxy();

  void show(const Front& front);
  /// Returns once the connections have ended. New connections are rejected.
  void close();

  enum class Demand { none, wanted, idle };
  /// `wanted`: a request waits for a replica. `idle`: replicas are ready, but not in use.
  Demand demand();
  /// Becomes readable when the demand changes.
  int fd() const { return news_.get(); }
  /// Throws Error if the process has ended.
  void require_running() const;

 private:
  struct Files;

  std::filesystem::path folder_;
  std::unique_ptr<Files> files_;
  Fd news_;
  int pid_ = 0;
};

}  // namespace kml::local
