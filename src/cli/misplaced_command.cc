#include "cli/misplaced_command.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/context.h"
#include "cli/foreign_words.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/refused_flag.h"
#include "cli/typed_command.h"
#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// Commands that start what stands after "--". Other commands may take kml's own words: `kml config alias`.
constexpr std::string_view kStarting[] = {"kml submit", "kml sweep run", "kml serve", "kml dev", "kml rerun"};

/// Set while kml checks that a fix can be parsed: that fix needs no fix of its own.
thread_local bool is_checking_fix = false;

bool parses(const std::vector<std::string>& arguments) {
  is_checking_fix = true;
  GlobalOptions options;
  const bool fits = can_be_parsed(command_tree(options, arguments), arguments);
  is_checking_fix = false;
  return fits;
}

struct NamedPlace {
  const Command* command;
  std::string path;  ///< "kml sweep stop"
};

const Command* at_path(const Command& whole, const std::string& path) {
  const Command* at = &whole;
  const std::vector<std::string> names = split(path, ' ');
  for (size_t i = 1; at && i < names.size(); ++i) at = shown_command(*at, names[i]);
  return at;
}

/// The command with this name below the command at `path`, or in one of the groups around it. With
/// `by_synonyms`, a group's command may also be meant by another tool's word: "cancel" in
/// `kml sweep run cancel lr`.
std::optional<NamedPlace> command_named(const Command& whole, const std::string& path,
                                        const std::string& word, bool by_synonyms) {
  for (std::string group = path;; group = group.substr(0, group.rfind(' '))) {
    const Command* place = at_path(whole, group);
    const Command* found = place ? shown_command(*place, word) : nullptr;
    if (!found && place && by_synonyms && group != path && group != "kml") found = meant_in(*place, word);
    if (found) return NamedPlace{found, group + " " + found->name};
    if (group.find(' ') == std::string::npos) return {};
  }
}

/// The typed arguments without `word`, and without the flags before it, except global flags.
std::vector<std::string> arguments_around(const Command& whole, const Command& typed_command,
                                          const std::vector<std::string>& before, const std::string& word) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == word) {
      kept.insert(kept.end(), before.begin() + static_cast<long>(i) + 1, before.end());
      break;
    }
    const std::string flag = before[i].substr(0, before[i].find('='));
    const Option *global = whole.find(flag), *own = typed_command.find(flag);
    const Option* option = global ? global : own;
    if (global || !before[i].starts_with("-")) kept.push_back(before[i]);
    if (option && option->takes_next() && flag == before[i] && ++i < before.size() && global)
      kept.push_back(before[i]);
  }
  return kept;
}

/// The command below this one that the first arguments name: `kml serve stop` in `kml submit serve stop
/// iris`.
NamedPlace innermost(NamedPlace meant, std::vector<std::string>& arguments) {
  while (const Command* below =
             arguments.empty() ? nullptr : shown_command(*meant.command, arguments.front())) {
    meant = {below, meant.path + " " + below->name};
    arguments.erase(arguments.begin());
  }
  return meant;
}

/// The command line with these arguments; empty if kml could not parse it.
std::string line_with(const Command& whole, const NamedPlace& named, std::vector<std::string> arguments,
                      const std::vector<std::string>& after) {
  const NamedPlace meant = innermost(named, arguments);
  if (meant.command->needs_argv && after.empty()) {  // `kml dev exec bert bash`
    const size_t words = static_cast<size_t>(std::count_if(
        arguments.begin(), arguments.end(), [](const std::string& each) { return !each.starts_with("-"); }));
    if (words > meant.command->words.max)
      return with_dashes(whole, *meant.command, meant.path, arguments, after);
    arguments.insert(arguments.end(), {"--", "COMMAND..."});
  } else if (meant.command->argv && !after.empty()) {
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), after.begin(), after.end());
  }
  std::vector<std::string> line = split(meant.path, ' ');
  line.insert(line.end(), arguments.begin(), arguments.end());
  return parses({line.begin() + 1, line.end()}) ? shell_quoted(line) : "";
}

std::string line_to_complete(const NamedPlace& meant) {
  const std::string& name = meant.command->words.name;
  return meant.command->run && !name.empty() ? usage_line(*meant.command, meant.path)
                                             : "see `" + meant.path + " --help`";
}

[[noreturn]] void refuse_misplaced(const std::string& word, const NamedPlace& meant, const std::string& fix) {
  throw usage_error("unexpected argument \"" + word + "\"", "`" + meant.path + "` is a separate command",
                    fix);
}

}  // namespace

void refuse_other_command(const Command& command, const std::string& path,
                          const std::vector<std::string>& words, const TypedArguments& typed) {
  const bool starts = std::find(std::begin(kStarting), std::end(kStarting), path) != std::end(kStarting);
  if (is_checking_fix || !starts) return;
  GlobalOptions options;
  const Command whole = command_tree(options);
  for (size_t i = 0; i <= command.words.max && i < words.size(); ++i) {
    // The last of these words is certainly not the command's own. Each before it may be the name that the
    // command takes, unless the other command fits the whole line.
    const bool is_extra = i == command.words.max;
    if (is_extra && !typed.after.empty()) return;
    const auto meant = command_named(whole, path, words[i], !is_extra);
    if (!meant) continue;
    const std::string line =
        line_with(whole, *meant, arguments_around(whole, command, typed.before, words[i]), typed.after);
    if (!line.empty() || is_extra)
      refuse_misplaced(words[i], *meant, line.empty() ? line_to_complete(*meant) : line);
  }
}

void refuse_command_in_group(const Command& group, const std::string& path, const std::string& word,
                             const TypedArguments& typed) {
  if (is_checking_fix || path == "kml") return;
  GlobalOptions options;
  const Command whole = command_tree(options);
  std::optional<NamedPlace> meant = command_named(whole, "kml", word, false);
  std::string named = word;
  if (!meant && typed.before.size() == 2 && typed.before[0] == word) {  // `kml sweep lr stop`
    named = typed.before[1];
    if (const Command* found = shown_command(group, named)) meant = {found, path + " " + named};
  }
  if (!meant) return;
  const std::string line =
      line_with(whole, *meant, arguments_around(whole, group, typed.before, named), typed.after);
  if (!line.empty()) refuse_misplaced(named, *meant, line);
  if (group.run || did_you_mean(word, shown_subcommands(group)).empty())
    refuse_misplaced(named, *meant, line_to_complete(*meant));
}

}  // namespace kml::cli
