#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/spec/setting.h"

namespace kml::cli {

class Context;
struct GlobalOptions;

/// A flag, or an option with a value.
struct Option {
  std::string names;       ///< "-n,--namespace"
  std::string value_name;  ///< empty for a flag
  std::string help;
  bool repeats = false;
  std::vector<std::string> choices;                ///< the values that are right; empty means any
  std::function<void(const std::string&)> accept;  ///< throws usage Error for a value that is none
  std::string implied = {};   ///< the value where none is given; another one then needs "="
  bool is_of_target = false;  ///< of the root's: says which cluster, and means nothing without one

  /// "--namespace", or the only name.
  std::string long_name() const;
  bool has_name(std::string_view name) const;
  /// Whether the word after it is its value.
  bool takes_next() const { return !value_name.empty() && implied.empty(); }
};

/// The words of a command line that belong to no option.
struct Words {
  std::string name;  ///< in help: "JOB"; empty if the command takes none
  std::string help;
  size_t min = 0;
  size_t max = 0;
  std::vector<std::string>* target = nullptr;
};

/// A flag that the command does not know, kept for one that decides later (submit: template parameters).
using spec::UnknownFlag;

/// A node of the command tree. Parsing, help, man pages and completions all read it, so none can drift.
/// Parsing only fills in the targets; nothing is done before `run`.
struct Command {
  Command(std::string command_name, std::string one_line)
      : name(std::move(command_name)), summary(std::move(one_line)) {}

  std::string name;
  std::string summary;
  std::string description;  ///< more, for `--help` and the man page; wrap.h says how it is damaged
  /// A command line a line; a line "# TEXT" before one says what it is for. A test runs each of them.
  std::string examples;
  /// A section of the man page alone: its title and what makes its text.
  std::pair<std::string, std::string (*)()> manual_section{};
  std::vector<Option> options;
  Words words;
  std::vector<std::string>* argv = nullptr;  ///< what follows `--`; without it, `--` only ends options
  std::vector<UnknownFlag>* unknown_flags = nullptr;  ///< where set, an unknown flag is not an error yet
  std::vector<Command> subcommands;
  std::function<int(Context&)> run;  ///< empty for a group
  bool hidden = false;
  bool has_target = true;  ///< whether --context, -n and --kubeconfig mean something to it

  // The targets must outlive the command: an options struct held by `run`.
  void flag(std::string names, bool& target, std::string help);
  void option(std::string names, std::string value_name, std::string& target, std::string help);
  void option(std::string names, std::string value_name, std::vector<std::string>& target, std::string help);
  void option(const std::string& names, std::string value_name, std::optional<long long>& target,
              std::string help);
  void option(const std::string& names, std::string value_name, std::optional<std::chrono::seconds>& target,
              std::string help);
  void choice(const std::string& names, std::vector<std::string> choices, std::string& target,
              std::string help);
  void takes(std::string word_name, std::vector<std::string>& target, std::string help, size_t min,
             size_t max = 1'000'000);
};

/// The whole tree, built again: its options are those of one invocation. `options` must outlive it.
Command command_tree(GlobalOptions& options);

}  // namespace kml::cli
