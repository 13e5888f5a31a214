#pragma once

#include <poll.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "kml/core/files.h"
#include "local/shim/command_channel.h"
#include "local/shim/keeper.h"

namespace kml::local {

/// The further commands of a container, in its keeper: started beside the program as CommandRequests come
/// from the shim. A command whose connection ends is killed, with all that is in its session.
class ContainerCommands {
 public:
  ContainerCommands(const KeeperSettings& settings, Fd requests);

  /// Adds what is to be waited for.
  void add_sources(std::vector<pollfd>& sources) const;
  /// After a poll of them.
  void look(std::span<const pollfd> sources);
  /// A child has ended.
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
