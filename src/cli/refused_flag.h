#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The names of the group's commands that help shows.
std::vector<std::string> shown_subcommands(const Command& group);

/// All flags that the command accepts, including those of `root` and --help.
std::vector<std::string> all_flags(const Command& command, const Command& root);

/// Whether the flag has the name of an argument that needs no flag: --name for NAME.
bool is_argument(const Command& command, const std::string& flag);

/// Throws usage Error for a flag that the command does not have. The fix names the nearest flag of the
/// command or, for a group, of its commands, if one is near.
[[noreturn]] void refuse_flag(const Command& command, const Command& root, const std::string& flag,
                              const std::string& path);

/// Throws usage Error if a flag that stands before `word`, which should be a command of the group, is a
/// misspelled flag of the group itself. `words` are all words after the group's name.
void refuse_misspelled_flag(const Command& root, const Command& group, const std::string& word,
                            const std::string& path, const std::vector<std::string>& words);

/// Throws usage Error for a flag that stands where a command of the group should. If possible, the fix is
/// the line with a command that accepts the flag. `after` are the words after "--".
[[noreturn]] void refuse_flag_before_command(const Command& root, const Command& group,
                                             const std::string& word, const std::string& path,
                                             const std::vector<std::string>& words,
                                             const std::vector<std::string>& after);

}  // namespace kml::cli
