#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/job/spec/setting.h"

namespace kml::cli {

class Context;
struct GlobalOptions;

/// A flag, or an option with a value.
struct Option {
  std::string names;       ///< "-n,--namespace"
  std::string value_name;  ///< the placeholder for the option's value in help; empty for a flag
  std::string help;        ///< a phrase, for `--help`
  bool repeats = false;
  std::vector<std::string> choices;                ///< the allowed values; if empty, any value is allowed
  std::function<void(const std::string&)> accept;  ///< throws usage Error for an invalid value
  std::string implied = {};  ///< the value if the option is given without one; any other value then needs "="
  bool is_of_target = false;   ///< a root option that only affects commands that contact a server
  std::string sentences = {};  ///< sentences for the man page; if empty, the page shows `help`
  /// the heading under which help lists the option, if the command has many options
  std::string heading = {};
  /// the option after which help lists this one; if empty, help keeps the order of declaration
  std::string predecessor = {};

  /// Sets the sentences for the man page.
  Option& details(std::string text);
  /// Makes help list this option directly after another one, under the same heading. Commands without that
  /// option list this one where it is declared.
  Option& after(std::string name);

  /// "--namespace", or the short name if there is no long one.
  std::string long_name() const;
  bool has_name(std::string_view name) const;
  /// Whether the next word on the command line is this option's value.
  bool takes_next() const { return !value_name.empty() && implied.empty(); }
};

/// The arguments of a command that are not options.
struct Words {
  std::string name;  ///< the name that help shows: "JOB"; empty if the command takes no arguments
  std::string help;
  size_t min = 0;
  size_t max = 0;
  std::vector<std::string>* target = nullptr;
  std::shared_ptr<std::string> by_flag = {};  ///< the value of the flag that can replace the argument
};

/// A flag that the command does not know, but keeps because it may turn out to be valid (in submit, a
/// template's parameter).
using spec::UnknownFlag;

/// A part of a command's manual that `--help` leaves out, such as "Scale to zero".
struct ManualSection {
  std::string title;
  std::string text;  ///< wrap.h describes the format
};

/// A name and its meaning.
using Entry = std::pair<std::string, std::string>;

/// A part of a man page that explains names, such as "EXIT STATUS".
struct Definitions {
  std::string title;
  std::vector<Entry> entries;
  std::string intro = {};   ///< a text before the entries
  std::string ending = {};  ///< a text after the entries
};

/// A node of the command tree. Parsing, help, man pages and completions all use this tree, so they cannot
/// disagree. Parsing only stores values; nothing happens before `run`.
struct Command {
  Command(std::string command_name, std::string one_line)
      : name(std::move(command_name)), summary(std::move(one_line)) {}

  std::string name;
  std::string summary;
  std::string description;  ///< details for `--help` and the man page; wrap.h describes the format
  /// One command line per line. A line "# TEXT" explains the command line that follows it. A test runs all
  /// examples.
  std::string examples;
  /// The sections that only `kml help COMMAND` and the man page show; nullptr if there are none.
  std::vector<ManualSection> (*manual)() = nullptr;
  /// The sections that only the man page shows; nullptr if there are none.
  std::vector<Definitions> (*definitions)() = nullptr;
  std::vector<Option> options;
  std::vector<std::string> headings;  ///< the headings of the options, in the order in which help shows them
  Words words;
  /// receives the words after `--`; nullptr if the command takes no such words
  std::vector<std::string>* argv = nullptr;
  bool needs_argv = false;                            ///< the command needs words after `--`
  std::vector<UnknownFlag>* unknown_flags = nullptr;  ///< receives unknown flags; if nullptr, they are errors
  std::vector<Command> subcommands;
  std::string heading = "Commands";  ///< the heading under which its group's help lists the command
  std::function<int(Context&)> run;  ///< the function that runs the command; empty for a group of commands
  bool hidden = false;
  bool only_reads = false;  ///< the command changes nothing on any server
  bool has_target = true;   ///< whether --context, -n and --kubeconfig apply to the command

  /// Lists the options declared after this call under `heading`.
  void options_under(const std::string& heading);

  // Declare an option and where to store its value. The target must outlive the command; it is usually in an
  // options struct that `run` owns. The returned reference is valid until the next option is declared.
  Option& flag(std::string names, bool& target, std::string help);
  Option& option(std::string names, std::string value_name, std::string& target, std::string help);
  Option& option(std::string names, std::string value_name, std::vector<std::string>& target,
                 std::string help);
  /// `least` is the smallest number that the option accepts.
  Option& option(const std::string& names, std::string value_name, std::optional<long long>& target,
                 std::string help, long long least = 0);
  Option& option(const std::string& names, std::string value_name,
                 std::optional<std::chrono::seconds>& target, std::string help);
  Option& choice(const std::string& names, std::vector<std::string> choices, std::string& target,
                 std::string help);
  /// Adds an option that none of the functions above can declare.
  Option& add(Option option);
  /// The declared option with that name, or nullptr.
  Option* find(std::string_view option_name);
  const Option* find(std::string_view option_name) const;
  void takes(std::string word_name, std::vector<std::string>& target, std::string help, size_t min,
             size_t max = 1'000'000);
  /// Declares a single NAME, which the user gives as an argument or by --name.
  Option& takes_name(std::vector<std::string>& target, std::string help, size_t min);

 private:
  std::string heading_of_next_;  ///< the heading under which the next option is listed
};

/// Builds the whole tree. Its options belong to one invocation. `options` must outlive the tree.
Command command_tree(GlobalOptions& options);

/// The tree for these arguments. It contains only the command that the arguments name, because making the
/// flags of all commands takes a tenth of the start-up time. If the arguments name none of kml's commands,
/// this is the whole tree.
Command command_tree(GlobalOptions& options, const std::vector<std::string>& arguments);

}  // namespace kml::cli
