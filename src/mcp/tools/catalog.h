#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "kml/base/json.h"

namespace kml::mcp {

/// How a tool works: most run one command and return what it prints with -o json.
enum class ToolKind { command, list, plan, apply, logs, own_jobs };

/// A tool: a command of kml in the form that a program calls.
struct Tool {
  std::string name;  ///< "top_nodes"
  ToolKind kind = ToolKind::command;
  std::vector<std::string> words;  ///< the words of the command: "top", "nodes"
  std::string summary;
  /// the word of --allow that the tool needs; empty if the tool only reads
  std::string_view permission;
  bool is_destructive = false;
  bool has_data = true;  ///< whether the command has -o json
  /// the options and arguments that it offers, by the names of their properties
  struct Property {
    std::string name;
    std::string flag;  ///< "--limit"; empty for an argument
    std::string help;
    std::string value_name = {};  ///< the placeholder for the flag's value in help: "FILE"
    std::vector<std::string> choices = {};
    bool has_value = true, repeats = false, is_number = false, is_required = false;
    bool takes_next = false;  ///< whether the flag takes the next word if it is given without "="
    bool is_program = false;  ///< the words after "--"
    bool is_listed = true;  ///< whether the tool's schema has the property; otherwise it is given in `flags`
  };
  std::vector<Property> properties;
  /// for the tool `plan`: a tool for each kind of plan, named by the kind
  std::vector<Tool> kinds = {};
};

/// What the user allows.
struct Permissions {
  std::vector<std::string> allowed;  ///< of --allow
  bool has_fixed_namespace = false;  ///< -n was given, so no tool may leave the namespace

  bool allows(std::string_view word) const;
};

/// The word of --allow that is needed to apply a plan of this command: "submit" for a rerun.
std::string_view permission_to_apply(std::string_view command);

/// The words of --allow, with what each allows.
const std::vector<cli::Entry>& permission_words();

/// All tools that the permissions allow, from the tree of commands.
std::vector<Tool> tools_of(const cli::Command& root, const Permissions& permissions);

/// The tool as `tools/list` shows it.
Json description_of(const Tool& tool);

}  // namespace kml::mcp
