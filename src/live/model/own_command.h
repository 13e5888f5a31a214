#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "live/model/tables.h"

namespace kml::live {

/// The command line of a kml process that acts on the row: with its cluster and namespace, and these words,
/// such as {"cancel", "--yes", "bert"}. `options` are those of this process.
std::vector<std::string> command_for(const cli::GlobalOptions& options, const Row& row,
                                     const std::vector<std::string>& words);

/// The same command as a user would type it: "kml -n lab cancel bert". It names the cluster if the user did.
std::string typed_command(const cli::GlobalOptions& options, const Row& row,
                          const std::vector<std::string>& words);

}  // namespace kml::live
