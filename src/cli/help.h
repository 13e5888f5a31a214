#pragma once

#include <string>

#include "cli/command.h"

namespace kml::cli {

/// The output of `--help`, `width` columns wide: the command, its flags in groups, its examples, and the root
/// flags that apply to it. `path` is the command's path, such as "kml local up". `before` precedes it where
/// the user types it: "kubectl ".
std::string help_text(const Command& root, const Command& command, const std::string& path, size_t width,
                      const std::string& before = "");

/// "kml logs [flags] JOB...".
std::string usage_line(const Command& command, const std::string& path);

/// "-n, --namespace".
std::string shown_names(const Option& option);

/// The placeholder for its value in help: "NAME", or the choices if there are few. Empty for a flag.
std::string shown_value(const Option& option);

/// The choices that shown_value() does not show, as "; one of a, b, c".
std::string shown_choices(const Option& option);

}  // namespace kml::cli
