#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The user's own names for command lines. They are in the user's configuration folder alone: a project's
/// file, which others may have written, has none. No shell takes part.
using Aliases = std::map<std::string, std::vector<std::string>>;

std::filesystem::path alias_file();
/// Throws usage Error if the file is not right.
Aliases read_aliases();
void write_aliases(const Aliases& aliases);

/// Puts what an alias stands for in its place, where the first word is one and no command has its name.
void expand_alias(const Command& root, std::vector<std::string>& arguments);

/// Programs called kml-NAME in the folders of PATH, by NAME: extensions, as git and kubectl have them. Those
/// that a command's name hides are left out. A folder that PATH names relative to the current one does not
/// count, since what lies there may be anybody's.
std::map<std::string, std::filesystem::path> extensions(const Command& root);

/// Becomes the extension that the first word names, where no command has that name. Returns where there is
/// none. Throws Error if it cannot be run.
void become_extension(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kml::cli
