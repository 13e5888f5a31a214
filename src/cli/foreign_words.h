#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The group's command with this name, unless help hides it; nullptr if there is none.
const Command* shown_command(const Command& group, std::string_view name);

/// The group's command that the word of another tool or group means: `kml sweep stop` for "cancel". nullptr
/// if there is none.
const Command* meant_in(const Command& group, std::string_view word);

/// The command that submits `words` as a program: "kml submit -- python train.py". If `words` is empty or
/// contains a flag, the command has "CMD…" in place of the program, because kml does not know whether a flag
/// takes a value.
std::string submit_of(const std::vector<std::string>& words);

/// Throws usage Error if `word`, which stands in place of a command of `group`, is a word of another tool or
/// of another group: "ls", or "cancel" in `kml run cancel`. The fix names kml's own command. `rest` is the
/// rest of the typed line.
void refuse_foreign_word(const Command& root, const Command& group, const std::string& path,
                         const std::string& word, const std::vector<std::string>& rest);

/// Throws usage Error if the words after `kml dev` look like a command, such as "stop bert": kml would
/// otherwise take the first of them for a session's name.
void refuse_words_of_session(const std::string& path, const std::vector<std::string>& words);

}  // namespace kml::cli
