#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "local/shim/keeper.h"

namespace kml::local {

/// A program for the container's keeper to start in the container.
struct ProgramStart {
  const std::vector<std::string>& argv;
  int in, out, err;       ///< negative: /dev/null
  bool terminal = false;  ///< `in` is a terminal, which becomes the program's own
};

/// Starts the program in a new session, with the container's environment, folder, privileges and limits.
/// Returns its pid, or 0 with the reason in `problem`, in the words of container runtimes.
pid_t start_program(const KeeperSettings& settings, const ProgramStart& start, std::string& problem);

/// The value of the container's environment variable; empty if it does not exist.
std::string variable(const ContainerPlan& container, std::string_view name);

}  // namespace kml::local
