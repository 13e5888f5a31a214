#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// What was typed after the path of a command: the arguments before "--" and those after it.
struct TypedArguments {
  const std::vector<std::string>&before, &after;
};

/// For a command that starts something, and got more `words` than it takes: throws usage Error if one of the
/// words is the name of another command, such as "logs" in `kml submit logs bert`. The fix is that command,
/// because a command that submits or serves the words would do something else than the user meant.
void refuse_other_command(const Command& command, const std::string& path,
                          const std::vector<std::string>& words, const TypedArguments& typed);

/// The same for `word`, which stands where a command of the group should, as in `kml run why r1`, and for a
/// single word after it, as in `kml sweep lr stop`.
void refuse_command_in_group(const Command& group, const std::string& path, const std::string& word,
                             const TypedArguments& typed);

}  // namespace kml::cli
