#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "live/model/tables.h"

namespace kml::live {

/// The options of a command for an object in this cluster and namespace. Leaves out a context or a namespace
/// that kml would choose anyway, so that the command suggests the same next commands as if the user had typed
/// it.
cli::GlobalOptions options_in(const cli::GlobalOptions& options, const Cluster& cluster,
                              const std::string& namespace_name);

/// The command line of a kml process that acts on the row: with its cluster and namespace, and these words,
/// such as {"cancel", "--yes", "bert"}. `options` are this process's own options.
std::vector<std::string> command_for(const cli::GlobalOptions& options, const Row& row,
                                     const std::vector<std::string>& words);

/// The command of command_for() as a user would type it: "kml -n lab cancel bert". Names the cluster if the
/// user named it.
std::string typed_command(const cli::GlobalOptions& options, const Row& row,
                          const std::vector<std::string>& words);
/// The words after "kml", with the flags with which a user would name the target of `own`: its kubeconfig,
/// its context and its namespace, unless they are empty.
std::string typed_with(const cli::GlobalOptions& own, const std::vector<std::string>& words);

}  // namespace kml::live
