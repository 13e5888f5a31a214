#pragma once

#include <chrono>
#include <string>

#include "cli/context.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::cli {

/// Opens a shell in the container, and waits until it ends. Returns the shell's exit code.
int enter_shell(Context& context, const pod::RunningRank& rank);

/// Prints the host entry for ~/.ssh/config with which ssh reaches the pod of JOB[/RANK]. Throws Error if the
/// pod's image has no SSH server.
void print_ssh_host(Context& context, const std::string& typed, const std::string& container = {});

/// Prints the address of the web server that the pod of JOB[/RANK] has logged, forwards its port until
/// Ctrl-C, and opens the page if `in_browser`. Throws Error if no address is logged within `patience`.
int open_page(Context& context, const std::string& typed, bool in_browser,
              std::chrono::seconds patience = {});

}  // namespace kml::cli
