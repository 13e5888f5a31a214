#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "local/shim/keeper.h"

namespace kml::local {

/// A program to be started in a container, by the container's keeper.
struct ProgramStart {
  const std::vector<std::string>& argv;
  int in, out, err;       ///< negative: /dev/null
  bool terminal = false;  ///< `in` is a terminal, which becomes the program's own
};

/// Starts the program, in a session of its own, with the container's environment, folder, privileges and
/// limits. Returns its pid, or 0 and why not, in the words of container runtimes.
pid_t start_program(const KeeperSettings& settings, const ProgramStart& start, std::string& problem);

/// The container's variable; empty if it has none of that name.
std::string variable(const ContainerPlan& container, std::string_view name);

}  // namespace kml::local
