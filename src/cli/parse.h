#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The command that was meant, and where it stands in the tree.
struct Selected {
  const Command* command;
  std::string path;   ///< "kml local up"
  bool help = false;  ///< --help, or a group without a subcommand
};

/// Reads the arguments (without the program's name) into the targets of the options. `root`'s options may
/// stand anywhere. Throws usage Error, with the nearest right name for an unknown command or flag.
Selected parse(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kml::cli
