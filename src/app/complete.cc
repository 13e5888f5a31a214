#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/complete_names.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/own_words.h"
#include "cli/parse.h"
#include "kml/base/clean.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pod/commands/copy_side.h"

namespace kml::cli {

namespace {

// Completion for all shells. kml itself computes the candidates, so that no shell evaluates a name from a
// cluster, a folder or a kubeconfig. `kml __complete -- WORDS...` prints the kind of completion, then one
// candidate per line with its help.

using Values = std::vector<CompletionValue>;

/// The candidates at the cursor.
struct Completion {
  enum class Kind {
    values,  ///< whole words
    parts,   ///< the possible beginnings of a word; no space is added after them
    files,
    command,  ///< a word of another program's command line, to be completed by that program's own completion
  };
  Kind kind = Kind::values;
  Values values = {};           ///< candidates that start with the word at the cursor
  size_t words_of_program = 0;  ///< how many words of the other program's command line are before the cursor
};

/// The position in the command tree after the words before the cursor.
struct Position {
  const Command* command;
  std::string path = "kml";
  const Option* pending = nullptr;  ///< the option that needs the word at the cursor as its value
  bool is_past_dashes = false;
  std::vector<std::string> words = {};  ///< arguments that are not flags
  std::vector<std::string> argv = {};   ///< the words after "--", if the command takes a command line
  std::set<std::string> flags = {};     ///< the long names of the flags before the cursor
  GlobalOptions target = {};            ///< the values of global flags before the cursor
};

const Option* option_named(const Command& root, const Command& command, const std::string& name) {
  for (const std::vector<Option>* options : {&command.options, &root.options})
    for (const Option& option : *options)
      if (option.has_name(name)) return &option;
  return nullptr;
}

const Command* subcommand_named(const Command& group, const std::string& name) {
  for (const Command& sub : group.subcommands)
    if (sub.name == name && !sub.hidden) return &sub;
  return nullptr;
}

void note_value(Position& at, const Option& option, const std::string& value) {
  if (option.has_name("--context")) at.target.context = value;
  if (option.has_name("--namespace")) at.target.namespace_name = value;
  if (option.has_name("--kubeconfig")) at.target.kubeconfig = value;
}

void follow_flag(const Command& root, Position& at, const std::string& word) {
  const size_t equals = word.find('=');
  const Option* option = option_named(root, *at.command, word.substr(0, equals));
  if (!option) return;
  at.flags.insert(option->long_name());
  if (equals != std::string::npos)
    note_value(at, *option, word.substr(equals + 1));
  else if (option->takes_next())
    at.pending = option;
}

Position position_after(const Command& root, const std::vector<std::string>& words) {
  Position at{&root};
  for (const std::string& word : words) {
    if (at.is_past_dashes && at.command->argv) {
      at.argv.push_back(word);
    } else if (at.pending) {
      note_value(at, *at.pending, word);
      at.pending = nullptr;
    } else if (word == "--" && !at.is_past_dashes) {
      at.is_past_dashes = true;
    } else if (word.starts_with("-") && !at.is_past_dashes) {
      follow_flag(root, at, word);
    } else if (const Command* sub = subcommand_named(*at.command, word)) {
      at.command = sub;
      at.path += " " + sub->name;
    } else {
      at.words.push_back(word);
    }
  }
  return at;
}

/// Whether the word names a file or folder, according to the placeholder of the option or argument. The name
/// of a template or a sweep is a file only if it looks like a path.
bool names_file(std::string_view value_name, const std::string& word) {
  const bool is_path = word.starts_with(".") || word.starts_with("~") || word.find('/') != std::string::npos;
  if (value_name == "TEMPLATE" || value_name == "SWEEP|FILE" || are_sides(value_name)) return is_path;
  if (value_name == "FOLDER[:PATH]") return word.find(':') == std::string::npos;
  if (value_name == "SOURCE:PATH[:ro]") return word.starts_with(".") && word.find(':') == std::string::npos;
  return value_name == "FILE" || value_name == "DIR";
}

Values flags_of(const Command& root, const Command& command) {
  Values values;
  for (const Option& option : command.options) values.push_back({option.long_name(), option.help});
  if (&command != &root)
    for (const Option& option : root.options)
      if (command.has_target || !option.is_of_target) values.push_back({option.long_name(), option.help});
  values.push_back({"--help", "show help"});
  return values;
}

Values subcommands_of(const Command& root, const Command& group) {
  Values values;
  for (const Command& sub : group.subcommands)
    if (!sub.hidden) values.push_back({sub.name, sub.summary});
  if (&group != &root) return values;
  for (const auto& [name, words] : read_aliases()) values.push_back({name, "alias: " + shell_quoted(words)});
  for (const auto& [name, program] : extensions(root)) values.push_back({name, program.string()});
  return values;
}

/// The candidates for the cursor, read from the server that is selected by the flags before the cursor.
/// Prints no notes.
Values names_at(const Position& at, const std::string& name) {
  std::ostream nowhere(nullptr);
  Context context(at.target, {nowhere, nowhere});
  return names_for(context, {at.path, name, at.flags});
}

Completion of_value(const Position& at, const Option& option, const std::string& value) {
  // For jobs on this machine, --chdir is a folder here.
  if (names_file(option.value_name, value) || option.has_name("--chdir")) return {Completion::Kind::files};
  Completion completion;
  if (option.has_name("--state")) {
    const size_t begun = value.rfind(',') + 1;  // in "failed,ca", the last value starts after the comma
    for (const std::string& choice : option.choices)
      completion.values.push_back({value.substr(0, begun) + choice});
  } else if (!option.choices.empty()) {
    for (const std::string& choice : option.choices) completion.values.push_back({choice});
  } else {
    completion.values = names_at(at, option.long_name());
  }
  return completion;
}

Completion of_word(const Position& at, const std::string& word) {
  const Words& expected = at.command->words;
  if (expected.name.empty() || at.words.size() >= expected.max) return {};
  if (names_file(expected.name, word)) return {Completion::Kind::files};
  Completion completion{Completion::Kind::values, names_at(at, expected.name)};
  const auto fits = [&](const CompletionValue& value) { return value.text.starts_with(word); };
  if (are_sides(expected.name) && std::none_of(completion.values.begin(), completion.values.end(), fits))
    return {Completion::Kind::files};
  std::erase_if(completion.values, [&](const CompletionValue& value) {
    return std::find(at.words.begin(), at.words.end(), value.text) != at.words.end();
  });
  return completion;
}

void keep_matching(Completion& completion, const std::string& prefix, const std::string& word) {
  Values& values = completion.values;
  for (CompletionValue& value : values) value.text = prefix + value.text;
  std::erase_if(values, [&](const auto& value) { return !value.text.starts_with(word); });
  const auto goes_on = [](const CompletionValue& value) {
    return value.text.ends_with("=") || value.text.ends_with(":");
  };
  if (!values.empty() && std::all_of(values.begin(), values.end(), goes_on))
    completion.kind = Completion::Kind::parts;
}

/// Completes the last of `words`. The words before it are the command line up to the cursor, without "kml".
Completion complete(const Command& root, std::vector<std::string> words) {
  const std::string word = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  expand_alias(root, words);
  Position at = position_after(root, words);
  if (at.is_past_dashes && at.command->argv) {
    if (at.path != "kml config alias") return {Completion::Kind::command, {}, at.argv.size()};
    at.argv.push_back(word);  // an alias stands for a command line of kml itself
    return complete(root, at.argv);
  }

  std::string prefix;
  if (const size_t equals = word.find('=');
      !at.pending && !at.is_past_dashes && word.starts_with("--") && equals != std::string::npos) {
    at.pending = option_named(root, *at.command, word.substr(0, equals));
    if (!at.pending) return {};
    prefix = word.substr(0, equals + 1);
  }
  Completion completion;
  if (at.pending)
    completion = of_value(at, *at.pending, word.substr(prefix.size()));
  else if (word.starts_with("-") && !at.is_past_dashes)
    completion.values = flags_of(root, *at.command);
  else if (!at.command->subcommands.empty())
    completion.values = subcommands_of(root, *at.command);
  else
    completion = of_word(at, word);
  if (completion.kind == Completion::Kind::values) keep_matching(completion, prefix, word);
  return completion;
}

/// One line, without characters that a terminal or the shell's parser would interpret.
std::string on_one_line(std::string_view text) {
  std::string line = clean(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

bool is_printable(const CompletionValue& value) {
  return on_one_line(value.text) == value.text;
}

/// Ends the process after one second, so that TAB does not wait for a server any longer. Also keeps the
/// kubeconfig's credential programs from asking questions.
void hurry() {
  std::signal(SIGALRM, [](int) { ::_exit(0); });
  const itimerval second{{0, 0}, {1, 0}};
  ::setitimer(ITIMER_REAL, &second, nullptr);
  if (const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0)
    ::dup2(nothing, STDIN_FILENO);
}

}  // namespace

void print_completion(const Command& root, const std::vector<std::string>& words, Streams& streams) {
  hurry();
  Completion completion;
  try {
    completion = complete(root, words);
    // offers no candidates if the cluster is unreachable: a message would disturb the command line
  } catch (const Error&) {
  }
  static constexpr const char* kKinds[] = {"values", "parts", "files", "command"};
  std::ostream& out = streams.out;
  out << kKinds[static_cast<int>(completion.kind)];
  if (completion.kind == Completion::Kind::command) out << ' ' << completion.words_of_program;
  out << '\n';
  for (const CompletionValue& value : completion.values)
    if (is_printable(value)) out << value.text << '\t' << on_one_line(value.help) << '\n';
}

}  // namespace kml::cli
