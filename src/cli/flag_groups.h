#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// Flags that help and man page show under one heading, the most used first.
struct FlagGroup {
  std::string heading;
  std::vector<const Option*> options;
};

/// The command's flags in groups, or in the single group "Flags" if it has few. `path` is the command's path.
/// Flags without a group come last, as "Other flags".
std::vector<FlagGroup> flag_groups(const Command& command, const std::string& path);

/// The flags of `root` that apply to the command, for the end of its help.
FlagGroup global_flags(const Command& root, const Command& command);

}  // namespace kml::cli
