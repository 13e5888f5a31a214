#include "cli/parse.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>

#include "cli/commands.h"
#include "cli/foreign_words.h"
#include "cli/help.h"
#include "cli/misplaced_command.h"
#include "cli/near_flag.h"
#include "cli/refused_flag.h"
#include "cli/typed_command.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// Whether this argument takes the next argument as its value.
bool takes_next(const std::vector<Option>& options, const std::string& argument) {
  for (const Option& option : options)
    if (option.has_name(argument)) return option.takes_next();
  return false;
}

/// The `kml submit` command that `kml run WORDS… [-- AFTER…]` was probably meant to be. A word that is not a
/// flag is the job's name if a command follows "--".
std::string submit_instead(const Command& root, const std::vector<std::string>& words,
                           const std::vector<std::string>& after) {
  if (after.empty()) return submit_of(words);
  const Command submit = submit_command();
  std::vector<std::string> flags;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) flags.emplace_back("--name");
    flags.push_back(words[i]);
    const bool has_value = takes_next(root.options, words[i]) || takes_next(submit.options, words[i]);
    if (has_value && i + 1 < words.size()) flags.push_back(words[++i]);
  }
  return "kml submit " + shell_quoted(flags) + " -- " + shell_quoted(after);
}

/// The endings of files that groups take as arguments.
const std::vector<std::string> kFileEndings = {".yaml", ".yml", ".json", ".zip", ".tar.gz", ".tgz", ".tar"};

/// Whether the word is a file, not a subcommand.
bool is_file_name(std::string_view word) {
  return word.find('/') != std::string_view::npos ||
         std::ranges::any_of(kFileEndings, [&](const std::string& end) { return word.ends_with(end); });
}

/// The nearest name, or where to find a list of all names.
std::string names_hint(const std::string& typed, const std::vector<std::string>& names,
                       const std::string& path) {
  const std::string list = "`" + path + " --help`";
  return did_you_mean(typed, names).empty() ? "see " + list : suggestion(typed, names, list + " lists all");
}

/// Whether the word is the NAME in a command like `kml serve NAME -- COMMAND`, not a subcommand.
bool names_its_object(const Command& group, const std::string& word) {
  return group.argv && std::none_of(group.subcommands.begin(), group.subcommands.end(),
                                    [&](const Command& command) { return command.name == word; });
}

/// Finds the subcommand `word`. `words` are all words after the group's name, `rest` are those after `word`,
/// and `after` are those after "--".
const Command& subcommand(const Command& root, const Command& group, const std::string& word,
                          const std::string& path, const std::vector<std::string>& words,
                          const std::vector<std::string>& rest, const std::vector<std::string>& after) {
  for (const Command& command : group.subcommands)
    if (command.name == word) return command;
  const std::vector<std::string> names = shown_subcommands(group);
  if (after.empty() || path == "kml") refuse_foreign_word(root, group, path, word, rest);
  if (path != "kml") refuse_misspelled_flag(root, group, word, path, words);
  refuse_command_in_group(group, path, word, {words, after});
  if (group.run && group.words.max > 0)
    throw usage_error(
        "\"" + word + "\" is neither a command of `" + path + "` nor a file", "",
        suggestion(word, names,
                   "the path of a file has a \"/\", or ends in one of " + join(kFileEndings, ", ") +
                       "; to run a program: " + submit_instead(root, words, after)));
  if (path != "kml" && words[0].starts_with("-"))
    refuse_flag_before_command(root, group, word, path, words, after);
  const std::string whole = (path + " " + word).substr(std::string_view("kml ").size());
  throw usage_error("unknown command \"" + whole + "\"", "", names_hint(word, names, path));
}

/// Removes the command's words from the arguments while walking down the tree.
Selected select(const Command& root, std::vector<std::string>& arguments,
                const std::vector<std::string>& after) {
  Selected selected{&root, "kml"};
  for (size_t i = 0; i < arguments.size() && !selected.command->subcommands.empty();) {
    const std::string& argument = arguments[i];
    if (argument.starts_with("-")) {
      const bool has_value =
          takes_next(root.options, argument) || takes_next(selected.command->options, argument);
      i += has_value ? 2 : 1;
      continue;
    }
    if (selected.command->run && (is_file_name(argument) || names_its_object(*selected.command, argument)))
      break;
    const auto rest = arguments.begin() + static_cast<long>(i) + 1;
    selected.command = &subcommand(root, *selected.command, argument, selected.path, arguments,
                                   {rest, arguments.end()}, after);
    selected.path += " " + argument;
    arguments.erase(arguments.begin() + static_cast<long>(i));
  }
  return selected;
}

Error lacks_value(const std::vector<const Option*>& options, const std::string& flag) {
  const auto named = [&](const char* name) {
    return std::any_of(options.begin(), options.end(),
                       [&](const Option* each) { return each->has_name(name); });
  };
  std::string fix = "see `--help`";
  for (const Option* option : options)
    if (option->has_name(flag)) fix = flag + " " + option->value_name;
  // In `kml logs -f`, -f follows the log, so a user may have meant `kml submit -f` to follow it, too.
  if (flag == "--file" && named("-f") && named("--follow")) fix += "; to follow the log: --follow";
  return usage_error(flag + " needs a value", "", fix);
}

/// Parses the arguments with CLI11. Returns the arguments that CLI11 does not know.
std::vector<std::string> read_options(const std::vector<const Option*>& options,
                                      std::vector<std::string> arguments, bool& help) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_flag("-h,--help", help);
  for (const Option* option : options) {
    if (option->value_name.empty()) {
      app.add_flag_callback(option->names, [option] { option->accept(""); });
      continue;
    }
    auto accept_all = [option](const std::vector<std::string>& values) {
      for (const std::string& value : values) option->accept(value);
    };
    app.add_option_function<std::vector<std::string>>(option->names, accept_all)->allow_extra_args(false);
  }
  for (const Option* option : options)
    if (!option->implied.empty())
      std::replace(arguments.begin(), arguments.end(), option->names, option->names + "=" + option->implied);
  for (std::string& argument : arguments)  // CLI11 reads "-n=x" as the value "=x"
    if (argument.size() > 2 && argument[0] == '-' && argument[1] != '-' && argument[2] == '=')
      argument.erase(2, 1);
  for (const std::string& argument : arguments) {  // CLI11 reads "-name" as "-n ame"
    const std::string flag = "-" + argument.substr(0, argument.find('='));
    if (argument.size() > 2 && argument[0] == '-' && argument[1] != '-' &&
        std::any_of(options.begin(), options.end(), [&](const Option* each) { return each->has_name(flag); }))
      throw usage_error("unknown flag \"" + flag.substr(1) + "\"", "", "did you mean \"" + flag + "\"?");
  }
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ArgumentMismatch& error) {  // "--name: 1 required TEXT missing"
    const std::string_view text = error.what();
    throw lacks_value(options, std::string(text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), "", "see `--help`");
  }
  return app.remaining();
}

/// Whether the words can be names. If a flag has already given a name, any other first word would be a
/// program.
bool are_names(const Command& command, const std::vector<std::string>& words) {
  const std::string name = command.words.by_flag ? *command.words.by_flag : "";
  return name.empty() || words.empty() || words[0] == name;
}

/// Adds the name that a flag gave. `before` are the arguments before "--", and `after` are those after it.
/// `has_flags` means that the words are followed by a program's flags.
void add_name(const Command& root, const Command& command, const std::string& path,
              std::vector<std::string>& words, bool has_flags, const std::vector<std::string>& before,
              const std::vector<std::string>& after) {
  if (!command.words.by_flag || command.words.by_flag->empty()) return;
  const std::string& name = *command.words.by_flag;
  if (words.empty()) words.push_back(name);
  if (are_names(command, words)) return;
  if (command.argv && after.empty() && (words.size() > 1 || has_flags))
    throw usage_error("unexpected argument \"" + words[0] + "\"", "the command follows \"--\"",
                      with_dashes(root, command, path, before, after));
  throw usage_error("two names: \"" + words[0] + "\" and --name " + name, "",
                    std::string("leave one of them out") +
                        (command.argv && after.empty() ? "; a command follows \"--\"" : ""));
}

void accept_words(const Command& command, const std::string& path, const std::vector<std::string>& words) {
  const Words& expected = command.words;
  if (std::find(words.begin(), words.end(), "") != words.end())
    throw usage_error("an argument is empty", "perhaps a variable has no value", usage_line(command, path));
  if (words.size() > expected.max)
    throw usage_error("unexpected argument \"" + words[expected.max] + "\"", "", "see `" + path + " --help`");
  if (words.size() < expected.min)
    throw missing_argument(words.empty() ? expected.name : "an argument after \"" + words.back() + "\"", "",
                           usage_line(command, path));
  if (expected.target) *expected.target = words;
}

}  // namespace

std::optional<size_t> command_word(const Command& root, const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!arguments[i].starts_with("-")) return i;
    if (takes_next(root.options, arguments[i])) ++i;
  }
  return {};
}

bool can_be_parsed(const Command& root, const std::vector<std::string>& arguments) try {
  parse(root, arguments);
  return true;
} catch (const Error&) {
  return false;
}

Selected parse(const Command& root, const std::vector<std::string>& arguments) {
  // CLI11 would change the words after "--", so it does not get them.
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> before(arguments.begin(), dashes);
  std::vector<std::string> after(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());

  Selected selected = select(root, before, after);
  const Command& command = *selected.command;
  std::vector<const Option*> options;
  for (const Option& option : root.options) options.push_back(&option);
  if (&command != &root)
    for (const Option& option : command.options) options.push_back(&option);

  std::vector<std::string> words;
  std::vector<std::string> rest = read_options(options, before, selected.help);
  bool has_flags = false;  // flags of a program that was typed without "--"
  if (selected.help) return selected;
  for (size_t i = 0; i < rest.size(); ++i) {
    const std::string& argument = rest[i];
    if (!argument.starts_with("-") || argument == "-") {
      words.push_back(argument);
      continue;
    }
    has_flags = command.argv && (words.size() > command.words.max || !are_names(command, words));
    if (has_flags) break;  // the command's words, without "--"
    const size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    if (!command.unknown_flags || !argument.starts_with("--") || is_argument(command, flag))
      refuse_flag(command, root, argument, selected.path);
    UnknownFlag unknown{flag.substr(2), {}, near_flag(flag, all_flags(command, root)).value_or("")};
    if (equals != std::string::npos)
      unknown.value = argument.substr(equals + 1);
    else if (i + 1 < rest.size() && !rest[i + 1].starts_with("--"))
      unknown.value = rest[++i];
    command.unknown_flags->push_back(std::move(unknown));
  }
  if (!command.run) {
    selected.help = true;
    return selected;
  }
  if (after.empty() && are_names(command, words)) refuse_words_of_session(selected.path, words);
  // "kml serve ls": without a command after "--", "ls" cannot be the name of a model
  if (after.empty() && words.size() == 1 && before.size() == 1 && command.argv &&
      !command.subcommands.empty())
    refuse_foreign_word(root, command, selected.path, words[0], {});
  if (after.empty() && words == std::vector<std::string>{"help"} && command.words.max == 0)
    throw usage_error("unexpected argument \"help\"", "", selected.path + " --help");
  add_name(root, command, selected.path, words, has_flags, before, after);
  if (command.argv && words.size() > command.words.max) {
    if (after.empty() && !command.subcommands.empty()) {
      refuse_foreign_word(root, command, selected.path, words[0], {words.begin() + 1, words.end()});
      refuse_other_command(command, selected.path, words, {before, after});
      // "kml serve status digits" must not start a model called "status" with the program "digits".
      if (words.size() == command.words.max + 1 && words.back().find_first_of("./") == std::string::npos)
        throw usage_error("\"" + words[0] + "\" is not a command of `" + selected.path + "`", "",
                          names_hint(words[0], shown_subcommands(command), selected.path));
    }
    refuse_other_command(command, selected.path, words, {before, after});
    throw usage_error("unexpected argument \"" + words[command.words.max] + "\"",
                      "the command follows \"--\"", with_dashes(root, command, selected.path, before, after));
  }
  if (command.argv)
    *command.argv = std::move(after);
  else
    words.insert(words.end(), after.begin(), after.end());
  accept_words(command, selected.path, words);
  return selected;
}

}  // namespace kml::cli
