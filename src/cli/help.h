#pragma once

#include <string>

#include "cli/command.h"

namespace kml::cli {

/// What `--help` prints, on lines of `width` columns: the command, its flags in groups, examples, and those
/// of the root's flags that mean something to it. `path` is the command's: "kml local up".
std::string help_text(const Command& root, const Command& command, const std::string& path, size_t width);

/// "kml logs [flags] JOB...".
std::string usage_line(const Command& command, const std::string& path);

/// "-n, --namespace".
std::string shown_names(const Option& option);

/// What stands for its value in help: "NAME", or the choices where they are few. Empty for a flag.
std::string shown_value(const Option& option);

/// The choices that shown_value() leaves to the help text, as "; one of a, b, c".
std::string shown_choices(const Option& option);

}  // namespace kml::cli
