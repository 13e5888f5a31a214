#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The user's aliases for command lines. They are only read from the user's configuration folder, never from
/// a project, because other people may have written the project's files. No shell interprets them.
using Aliases = std::map<std::string, std::vector<std::string>>;

std::filesystem::path alias_file();
/// Throws usage Error if the file is invalid.
Aliases read_aliases();
void write_aliases(const Aliases& aliases);

/// If the first word is an alias, not a command, replaces it with the alias's words.
void expand_alias(const Command& root, std::vector<std::string>& arguments);

/// Extensions by NAME: programs called kml-NAME in the folders of PATH, as in git and kubectl. Leaves out an
/// extension with the name of a command. Ignores relative folders in PATH, because anyone may have put files
/// there.
std::map<std::string, std::filesystem::path> extensions(const Command& root);

/// If the first word is the name of an extension, not of a command, replaces this process with the extension.
/// Otherwise returns. Throws Error if the extension cannot be run, or if flags precede its name.
void become_extension(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kml::cli
