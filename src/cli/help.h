#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

struct HelpForm {
  size_t width;             ///< columns
  bool is_whole = false;    ///< include the sections of Command::manual; `--help` only names them
  std::string before = {};  ///< the words that the user types before "kml": "kubectl "
};

/// The output of `--help` and of `kml help COMMAND`: the command, its flags in groups, its examples, and the
/// root flags that apply to it. `path` is the command's path, such as "kml local up".
std::string help_text(const Command& root, const Command& command, const std::string& path,
                      const HelpForm& form);

/// Options that help and the man page list under one heading.
struct OptionGroup {
  std::string heading;
  std::vector<const Option*> options;
};

/// The command's options under their headings, or under the single heading "Flags" if it has few. Options
/// without a heading come last, as "Other flags".
std::vector<OptionGroup> option_groups(const Command& command);

/// The options of `root` that apply to the command; help lists them last.
OptionGroup global_options(const Command& root, const Command& command);

/// The option's text in the man page: its sentences, followed by its choices.
std::string manual_text(const Option& option);

/// "kml logs [flags] JOB...".
std::string usage_line(const Command& command, const std::string& path);

/// "-n, --namespace".
std::string shown_names(const Option& option);

/// How help shows the option's value: "NAME", or the choices if there are few. Empty for a flag.
std::string shown_value(const Option& option);

/// The choices, as " [one of a, b, c]"; empty if shown_value() shows them or if there are none.
std::string shown_choices(const Option& option);

}  // namespace kml::cli
