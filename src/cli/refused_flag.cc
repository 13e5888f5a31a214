#include "cli/refused_flag.h"

#include <algorithm>
#include <optional>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/near_flag.h"
#include "cli/parse.h"
#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

std::vector<std::string> flag_names(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options)
    for (const std::string& name : split(option.names, ',')) names.push_back(name);
  return names;
}

std::string name_of_flag(const std::string& typed) {
  return typed.substr(0, typed.find('='));
}

/// A flag of one of a group's commands.
struct FlagBelow {
  const Command* command;
  std::string flag;
};

/// A flag of the group's commands that equals the typed one or, if there is none, resembles it.
std::optional<FlagBelow> flag_below(const Command& group, const std::string& typed) {
  for (const Command& each : group.subcommands)
    if (!each.hidden && each.find(typed)) return FlagBelow{&each, typed};
  for (const Command& each : group.subcommands)
    if (!each.hidden)
      if (const auto near = near_flag(typed, flag_names(each.options))) return FlagBelow{&each, *near};
  return {};
}

/// All one-letter flags are equally close, so none is suggested in place of another.
bool is_letter(const std::string& flag) {
  return flag.size() == 2;
}

std::string flag_hint(const Command& command, const Command& root, const std::string& flag,
                      const std::string& path) {
  const std::string list = "`" + path + " --help`";
  if (is_letter(flag)) return "see " + list;
  if (const auto near = near_flag(flag, all_flags(command, root)))
    return "did you mean \"" + *near + "\"? " + list + " lists all";
  const auto below = flag_below(command, flag);
  if (!below) return "see " + list;
  return (below->flag == flag ? "" : "did you mean \"" + below->flag + "\"? ") + "see `" + path + " " +
         below->command->name + " --help`";
}

[[noreturn]] void refuse_unknown(const Command& command, const Command& root, const std::string& flag,
                                 const std::string& path) {
  throw usage_error("unknown flag \"" + flag + "\"", "", flag_hint(command, root, flag, path));
}

bool takes_template_parameters(const Command& command) {
  return !command.hidden && command.unknown_flags;
}

/// The group's command to which the flag belongs: one that declares it or, if none resembles it, one whose
/// template may have a parameter with this name.
const Command* command_with(const Command& group, const std::string& flag) {
  const auto below = flag_below(group, flag);
  if (below) return below->flag == flag ? below->command : nullptr;
  const auto found =
      std::find_if(group.subcommands.begin(), group.subcommands.end(), takes_template_parameters);
  return flag.starts_with("--") && found != group.subcommands.end() ? &*found : nullptr;
}

}  // namespace

std::vector<std::string> shown_subcommands(const Command& group) {
  std::vector<std::string> names;
  for (const Command& command : group.subcommands)
    if (!command.hidden) names.push_back(command.name);
  return names;
}

std::vector<std::string> all_flags(const Command& command, const Command& root) {
  std::vector<std::string> names = flag_names(command.options);
  for (const std::string& name : flag_names(root.options)) names.push_back(name);
  names.push_back("--help");
  return names;
}

bool is_argument(const Command& command, const std::string& flag) {
  return !command.words.name.empty() && "--" + lower(command.words.name) == flag;
}

void refuse_flag(const Command& command, const Command& root, const std::string& flag,
                 const std::string& path) {
  const std::string bare = name_of_flag(flag);
  if (is_argument(command, bare) || (bare == "--name" && !command.words.name.empty()))
    throw usage_error("unknown flag \"" + bare + "\"", command.words.name + " is an argument without a flag",
                      usage_line(command, path));
  refuse_unknown(command, root, bare, path);
}

void refuse_misspelled_flag(const Command& root, const Command& group, const std::string& word,
                            const std::string& path, const std::vector<std::string>& words) {
  const std::vector<std::string> own = all_flags(group, root);
  for (const std::string& typed : words) {
    if (typed == word) return;
    const std::string flag = name_of_flag(typed);
    if (!flag.starts_with("--") || std::find(own.begin(), own.end(), flag) != own.end()) continue;
    const auto below = flag_below(group, flag);
    if (!near_flag(flag, own) || (below && below->flag == flag)) continue;
    // `kml run --gpus 1 python` has flags of `kml submit`.
    if (group.words.max > 0 && submit_command().find(flag)) continue;
    refuse_unknown(group, root, flag, path);
  }
}

void refuse_flag_before_command(const Command& root, const Command& group, const std::string& word,
                                const std::string& path, const std::vector<std::string>& words,
                                const std::vector<std::string>& after) {
  const std::string flag = name_of_flag(words[0]),
                    has = "`" + path + "` has " + join(shown_subcommands(group), ", ");
  if (group.run && group.find(flag))
    throw usage_error("unexpected argument \"" + word + "\"", "it is not a command: " + has,
                      "see `" + path + " --help`");
  const Command* command = command_with(group, flag);
  if (!command && !root.find(flag)) refuse_unknown(group, root, flag, path);
  const std::string name = command ? command->name : shown_subcommands(group)[0];
  std::vector<std::string> line = split(path + " " + name, ' ');
  line.insert(line.end(), words.begin(), words.end());
  if (!after.empty()) line.emplace_back("--");
  line.insert(line.end(), after.begin(), after.end());
  throw usage_error(
      "flag " + words[0] + " comes before the command", has,
      can_be_parsed(root, {line.begin() + 1, line.end()}) ? shell_quoted(line) : "see `" + path + " --help`");
}

}  // namespace kml::cli
