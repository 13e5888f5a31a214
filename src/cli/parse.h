#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The selected command and its path in the tree.
struct Selected {
  const Command* command;
  std::string path;   ///< "kml local up"
  bool help = false;  ///< --help was given, or the command is a group and no subcommand was given
};

/// Parses the arguments, without the program's name, and stores the values of options. Options of `root` may
/// be anywhere. Throws usage Error for an unknown command or flag, with the closest match.
Selected parse(const Command& root, const std::vector<std::string>& arguments);

/// Whether parse() accepts the arguments.
bool can_be_parsed(const Command& root, const std::vector<std::string>& arguments);

/// The index of the word that names the command: the first word before "--" that is neither a flag nor the
/// value of a flag of `root`. Empty if there is none.
std::optional<size_t> command_word(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kml::cli
