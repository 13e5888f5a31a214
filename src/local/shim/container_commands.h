#pragma once

#include <poll.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "local/shim/command_channel.h"
#include "local/shim/keeper.h"

namespace kml::local {

/// The part of a keeper that starts commands beside the container's program when the shim passes on
/// CommandRequests. When the connection of a command ends, kills all processes in the command's session.
class ContainerCommands {
 public:
  ContainerCommands(const KeeperSettings& settings, Fd requests);

  /// Adds this object's descriptors to those that the keeper polls.
  void add_sources(std::vector<pollfd>& sources) const;
  /// Call this after polling.
  void look(std::span<const pollfd> sources);
  /// Call this when a child has ended.
  void reaped(pid_t pid, int wait_status);

 private:
  struct Command {
    pid_t pid;
    Fd connection;
  };

  void take_request();
  pid_t start(const Message& message, std::string& problem) const;

  const KeeperSettings& settings_;
  Fd requests_;
  std::vector<Command> running_;
};

}  // namespace kml::local
