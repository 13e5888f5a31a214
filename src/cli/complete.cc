#include <algorithm>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/own_words.h"
#include "cli/parse.h"
#include "kml/core/clean.h"
#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/jobs/capacity/kind_listing.h"

namespace kml::cli {

namespace {

/// What may stand at the cursor.
struct Completion {
  enum class Kind { values, files, programs };
  struct Value {
    std::string text;  ///< the whole word
    std::string help;
  };
  Kind kind = Kind::values;
  std::vector<Value> values = {};  ///< those that begin with the word at the cursor
};

// Completion for all shells: kml itself says what may follow, so that no shell ever evaluates a name that a
// cluster, a folder or a kubeconfig chose. `kml __complete -- WORDS...` prints the kind, then a value a line
// with its help.

using Values = std::vector<Completion::Value>;

/// Where a job is looked for: what the lister must be told, too.
bool says_where(const Option& option) {
  return option.has_name("--context") || option.has_name("--namespace") || option.has_name("--kubeconfig");
}

/// The words before the cursor, followed down the tree.
struct Position {
  const Command* command;
  const Option* pending = nullptr;  ///< its value is at the cursor
  bool is_past_dashes = false;
  size_t words_past_dashes = 0;
  std::vector<std::string> where = {};  ///< flags that say where
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

Position position_after(const Command& root, const std::vector<std::string>& words) {
  Position at{&root};
  for (const std::string& word : words) {
    if (at.pending) {
      if (says_where(*at.pending)) at.where.push_back(at.pending->long_name() + "=" + word);
      at.pending = nullptr;
    } else if (at.is_past_dashes) {
      ++at.words_past_dashes;
    } else if (word == "--") {
      at.is_past_dashes = true;
    } else if (word.starts_with("-")) {
      const std::string name = word.substr(0, word.find('='));
      const Option* option = option_named(root, *at.command, name);
      if (!option) continue;
      if (name != word && says_where(*option))
        at.where.push_back(word);
      else if (name == word && option->takes_next())
        at.pending = option;
    } else if (const Command* sub = subcommand_named(*at.command, word)) {
      at.command = sub;
    }
  }
  return at;
}

/// A kml command that prints the values of a word or option, a line each.
struct Lister {
  enum class Name { line_after_mark, after_slash, first_word_below_heading };
  std::vector<std::string> argv = {};  ///< empty where nothing lists them
  Name name = Name::after_slash;       ///< where in the line it stands
};

Lister lister_of(const std::string& word) {
  using enum Lister::Name;
  if (word == "JOB") return {{"list", "--all", "-o", "name"}, after_slash};
  if (word.starts_with("SWEEP") || word == "--sweep" || word == "--warm-start")
    return {{"sweep", "list", "-o", "name"}, after_slash};
  if (word == "RUN") return {{"history"}, first_word_below_heading};
  if (word == "TEMPLATE" || word == "--template") return {{"template", "list"}, first_word_below_heading};
  if (word == "ALIAS" || word == "--remove") return {{"config", "alias"}, first_word_below_heading};
  if (word == "--context") return {{"config", "contexts"}, line_after_mark};
  return {};
}

Values names_in(const std::string& text, Lister::Name name) {
  using enum Lister::Name;
  Values values;
  bool is_heading = name == first_word_below_heading;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty() || std::exchange(is_heading, false)) continue;
    switch (name) {
      case line_after_mark: values.push_back({line.substr(std::min<size_t>(2, line.size())), ""}); break;
      case after_slash: values.push_back({line.substr(line.rfind('/') + 1), ""}); break;
      case first_word_below_heading: values.push_back({line.substr(0, line.find(' ')), ""}); break;
    }
  }
  return values;
}

/// What `kml list` lists.
Values kinds() {
  Values values = {{"jobs", "jobs, also those that have ended"}};
  for (const jobs::ListedKindInfo& kind : jobs::listed_kinds())
    values.push_back({std::string(kind.word), std::string(kind.shown)});
  return values;
}

/// Whether a value of the option can be the name of a file: of a count, a name or labels, no file is one.
bool may_be_file(const Option& option) {
  static constexpr std::string_view kOthers[] = {"N", "NAME", "LABELS", "DURATION", "STATE", "TIME", "REGEX"};
  return option.choices.empty() &&
         std::find(std::begin(kOthers), std::end(kOthers), option.value_name) == std::end(kOthers);
}

Values flags_of(const Command& root, const Command& command) {
  Values values;
  for (const std::vector<Option>* options : {&command.options, &root.options}) {
    for (const Option& option : *options) values.push_back({option.long_name(), option.help});
    if (&command == &root) break;
  }
  values.push_back({"--help", "what the command does, and its flags"});
  return values;
}

/// The user's aliases, and extensions, which are not run for that.
void add_own_words(const Command& root, Values& values) {
  for (const auto& [name, words] : read_aliases()) values.push_back({name, "alias: " + shell_quoted(words)});
  for (const auto& [name, program] : extensions(root)) values.push_back({name, program.string()});
}

void keep_matching(Values& values, const std::string& prefix, const std::string& word) {
  for (Completion::Value& value : values) value.text = prefix + value.text;
  std::erase_if(values, [&](const auto& value) { return !value.text.starts_with(word); });
}

/// Completes the last of `words`; the ones before it stand on the command line, after "kml". `list` runs a
/// command of kml and returns what it printed.
Completion complete(const Command& root, std::vector<std::string> words,
                    const std::function<std::string(const std::vector<std::string>&)>& list) {
  const std::string word = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  expand_alias(root, words);
  Position at = position_after(root, words);
  if (at.is_past_dashes)
    return {at.words_past_dashes == 0 && at.command->argv ? Completion::Kind::programs
                                                          : Completion::Kind::files};

  std::string prefix;
  if (const size_t equals = word.find('=');
      !at.pending && word.starts_with("--") && equals != std::string::npos) {
    at.pending = option_named(root, *at.command, word.substr(0, equals));
    prefix = word.substr(0, equals + 1);
  }
  const auto listed = [&](const std::string& name) {
    Lister lister = lister_of(name);
    if (lister.argv.empty()) return Values();
    lister.argv.insert(lister.argv.end(), at.where.begin(), at.where.end());
    return names_in(list(lister.argv), lister.name);
  };

  Completion completion;
  Values& values = completion.values;
  if (at.pending) {
    for (const std::string& choice : at.pending->choices) values.push_back({choice, ""});
    if (values.empty()) values = listed(at.pending->long_name());
    if (values.empty() && may_be_file(*at.pending)) completion.kind = Completion::Kind::files;
  } else if (word.starts_with("-")) {
    values = flags_of(root, *at.command);
  } else if (!at.command->subcommands.empty()) {
    for (const Command& sub : at.command->subcommands)
      if (!sub.hidden) values.push_back({sub.name, sub.summary});
    if (at.command == &root) add_own_words(root, values);
  } else {
    values = at.command->words.name == "KIND" ? kinds() : listed(at.command->words.name);
    if (values.empty()) values = flags_of(root, *at.command);
  }
  keep_matching(values, prefix, word);
  return completion;
}

std::string printed_by(const std::vector<std::string>& argv) {
  std::ostringstream out, err;
  GlobalOptions options;
  const Command root = command_tree(options);
  const Selected selected = parse(root, argv);
  Streams streams{out, err};
  Context context(options, streams);
  selected.command->run(context);
  return out.str();
}

/// One line, without what a terminal or a shell's reader would take for more than text.
std::string on_one_line(std::string_view text) {
  std::string line = clean(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

bool is_printable(const Completion::Value& value) {
  return on_one_line(value.text) == value.text;
}

int run_complete(Context& context, const std::vector<std::string>& words) {
  GlobalOptions options;
  const Command root = command_tree(options);
  Completion completion;
  try {
    completion = complete(root, words, printed_by);
  } catch (const Error&) {  // an unreachable cluster has nothing to offer, and TAB no place for words on it
  }
  static constexpr const char* kKinds[] = {"values", "files", "programs"};
  std::ostream& out = context.streams().out;
  out << kKinds[static_cast<int>(completion.kind)] << '\n';
  for (const Completion::Value& value : completion.values)
    if (is_printable(value)) out << value.text << '\t' << on_one_line(value.help) << '\n';
  return 0;
}

}  // namespace

Command complete_command() {
  Command command("__complete", "What may stand at the cursor, for shells' completion");
  command.hidden = true;
  auto words = std::make_shared<std::vector<std::string>>();
  command.argv = words.get();
  command.run = [words](Context& context) { return run_complete(context, *words); };
  return command;
}

}  // namespace kml::cli
