#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "live/model/tables.h"

namespace kml::live {

/// The options of a command for an object of this cluster and namespace. They name neither a context nor a
/// namespace that kml would choose anyway, so that commands in its output are those that the user would see.
cli::GlobalOptions options_in(const cli::GlobalOptions& options, const Cluster& cluster,
                              const std::string& namespace_name);

/// The command line of a kml process that acts on the row: with its cluster and namespace, and these words,
/// such as {"cancel", "--yes", "bert"}. `options` are those of this process.
std::vector<std::string> command_for(const cli::GlobalOptions& options, const Row& row,
                                     const std::vector<std::string>& words);

/// The same command as a user would type it: "kml -n lab cancel bert". Names the cluster if the user named
/// it.
std::string typed_command(const cli::GlobalOptions& options, const Row& row,
                          const std::vector<std::string>& words);

}  // namespace kml::live
