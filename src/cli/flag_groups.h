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

/// The flags of a command in groups; one group, "Flags", where it has few. `path` is the command's. What no
/// group names comes last, as "Other flags".
std::vector<FlagGroup> flag_groups(const Command& command, const std::string& path);

/// Those of `root` that the command obeys, for the end of its help.
FlagGroup global_flags(const Command& root, const Command& command);

}  // namespace kml::cli
