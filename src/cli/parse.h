#pragma once

#include <optional>
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

/// Where the word stands that names the command: the first that is neither a flag of `root` nor its value.
std::optional<size_t> command_word(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kml::cli
