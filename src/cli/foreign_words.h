#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// `words` as a program to submit: "kml submit -- train.sh". If there is a flag, whose values are not known,
/// the program is left out.
std::string submit_of(const std::vector<std::string>& words);

/// Throws usage Error if `word`, which stands in place of a command of `group`, is a word of another tool or
/// of another group: "ls", or "cancel" in `kml run cancel`. The fix names kml's own command. `rest` is the
/// rest of the typed line.
void refuse_foreign_word(const Command& root, const Command& group, const std::string& path,
                         const std::string& word, const std::vector<std::string>& rest);

/// Throws usage Error if the words of `kml dev` are those of a command, which would otherwise be taken for a
/// session's name and its program: "stop bert".
void refuse_words_of_session(const std::string& path, const std::vector<std::string>& words);

}  // namespace kml::cli
