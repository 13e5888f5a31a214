#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "local/shim/keeper.h"

namespace kml::local {

/// A program that the container's keeper must start in the container.
struct ProgramStart {
  const std::vector<std::string>& argv;
  int in, out, err;       ///< negative: /dev/null
  bool terminal = false;  ///< `in` is a terminal, which the program controls
};

/// Starts the program in a new session, with the container's environment, folder, privileges and limits.
/// Returns its pid, or 0 and the reason in `problem`, worded as by container runtimes. Throws Error if the
/// system cannot start another process.
pid_t start_program(const KeeperSettings& settings, const ProgramStart& start, std::string& problem);

/// The value of the variable in the container's environment; empty if it does not exist.
std::string variable(const ContainerPlan& container, std::string_view name);

}  // namespace kml::local
