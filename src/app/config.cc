#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "cli/own_words.h"
#include "cli/parse.h"
#include "job/commands/submit_request.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/job/spec/trust.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

struct ConfigOptions {
  bool origin = false;
  std::string output;
};

/// The context that commands would use. Empty, with a warning, if that context is unusable.
std::string usable_context(Context& context) {
  try {
    return context.place().context;
  } catch (const Error& error) {
    context.note("warning: " + message_and_why(error));
    return {};
  }
}

/// Prints the settings, and the context and namespace that commands would use.
int run_view(Context& context, const ConfigOptions& options) {
  std::vector<spec::Setting> settings = context.config().settings;
  const bool complete =
      (context.config().find("context") && context.config().find("namespace")) || context.distrust();
  auto add_if_new = [&](const std::string& name, const std::string& value, spec::Source source,
                        std::string origin) {
    if (!context.config().find(name)) settings.push_back({name, value, {source, std::move(origin)}});
  };
  // The context is only looked up if needed: a configured context may not exist on this machine yet, or may
  // not be trusted.
  if (!complete && !usable_context(context).empty()) {
    const Place& place = context.place();
    spec::Source source = place.is_local ? spec::Source::builtin : spec::Source::environment;
    std::string origin = place.is_local ? "no kubeconfig" : "kubeconfig";
    const GlobalOptions& flags = context.options();
    add_if_new("context", place.context, source, flags.context.empty() ? origin : "--context");
    add_if_new("namespace", place.namespace_name, source, flags.namespace_name.empty() ? origin : "-n");
  }

  Json items = Json::array();
  ui::Table table({"NAME", "VALUE", "FROM"});
  for (const spec::Setting& setting : settings) {
    std::string from =
        setting.origin.source == spec::Source::builtin ? setting.origin.name : setting.origin.text();
    items.push_back({{"name", setting.name}, {"value", setting.value}, {"origin", from}});
    std::vector<ui::Cell> row = {{setting.name}, {setting.value}};
    if (options.origin) row.push_back({from});
    table.add(std::move(row));
  }
  if (options.output.empty())
    table.print(context.streams(), options.origin);
  else
    ui::print_value(context.streams(), items, options.output);
  return 0;
}

int run_contexts(Context& context, const ConfigOptions& options) {
  const std::string current = usable_context(context);
  std::vector<std::string> names = kube::context_names({context.options().kubeconfig, "", ""});
  names.push_back(std::string(kLocal));
  if (!options.output.empty()) {
    Json contexts = Json::array();
    for (const std::string& name : names) contexts.push_back({{"name", name}, {"current", name == current}});
    ui::print_value(context.streams(), contexts, options.output);
    return 0;
  }
  for (const std::string& name : names)
    context.streams().out << (name == current ? "* " : "  ") << name << "\n";
  return 0;
}

struct AliasOptions {
  std::vector<std::string> names, words;
  std::string remove, output;
};

Error no_alias(const std::string& name, const Aliases& aliases) {
  std::vector<std::string> names;
  for (const auto& [known, words] : aliases) names.push_back(known);
  return usage_error("no alias \"" + name + "\"", "",
                     suggestion(name, names,
                                "`kml config alias` lists the aliases; to define this one: kml config "
                                "alias " +
                                    name + " -- COMMAND…"));
}

/// Prints all aliases, or only the named one.
void print_aliases(Context& context, const AliasOptions& options) {
  Aliases aliases = read_aliases();
  for (const std::string& name : options.names) {
    if (!aliases.contains(name)) throw no_alias(name, aliases);
    std::erase_if(aliases, [&](const auto& alias) { return alias.first != name; });
  }
  if (!options.output.empty()) return ui::print_value(context.streams(), Json(aliases), options.output);
  if (aliases.empty()) return context.note("no aliases yet: kml config alias NAME -- COMMAND…");
  ui::Table table({"ALIAS", "COMMAND"});
  for (const auto& [name, words] : aliases) table.add({{name}, {"kml " + shell_quoted(words)}});
  table.print(context.streams());
}

/// Throws a usage Error if the alias's name is invalid, or if its words do not start with a kml command.
void check_alias(const std::string& name, const std::vector<std::string>& words) {
  GlobalOptions ignored;
  const Command root = command_tree(ignored);
  const auto is_command = [&](const std::string& word) {
    return std::any_of(root.subcommands.begin(), root.subcommands.end(),
                       [&](const Command& command) { return command.name == word && !command.hidden; });
  };
  if (name.empty() || name.starts_with("-") || name.find_first_of(" \t\n/") != std::string::npos)
    throw usage_error("\"" + name + "\" cannot be an alias",
                      "an alias is one word, without spaces, slashes or a \"-\" at its start");
  if (is_command(name) || name == "help")
    throw usage_error("\"" + name + "\" cannot be an alias",
                      "kml has a command with that name, which takes precedence");
  const auto at = command_word(root, words);
  if (!at || !is_command(words[*at]))
    throw usage_error("an alias must start with a kml command",
                      at ? "\"" + words[*at] + "\" is not a kml command" : "no command was given",
                      "kml config alias " + name + " -- list --mine");
}

int run_alias(Context& context, const AliasOptions& options) {
  if (options.remove.empty() && options.words.empty()) {
    print_aliases(context, options);
    return 0;
  }
  Aliases aliases = read_aliases();
  if (!options.remove.empty()) {
    if (!options.names.empty() || !options.words.empty())
      throw usage_error("--remove takes no further arguments");
    if (aliases.erase(options.remove) == 0) throw no_alias(options.remove, aliases);
  } else {
    if (options.names.empty())
      throw usage_error("the alias has no name", "", "kml config alias NAME -- COMMAND…");
    check_alias(options.names[0], options.words);
    aliases[options.names[0]] = options.words;
  }
  write_aliases(aliases);
  return 0;
}

/// The settings as a kml.yaml.
std::string project_text(const std::vector<spec::Setting>& settings) {
  Json keys = Json::object();
  for (const spec::Setting& setting : settings) {
    const spec::Flag& flag = *spec::submit_flag(setting.name);
    Json& value = keys[std::string(flag.key)];
    const size_t equals = setting.value.find('=');
    if (flag.is_map && equals == std::string::npos)
      throw usage_error("--" + setting.name + " needs NAME=VALUE here",
                        "kml.yaml cannot store a name without a value");
    if (flag.is_map)
      value[setting.value.substr(0, equals)] = setting.value.substr(equals + 1);
    else if (flag.repeats)
      value.push_back(setting.value);
    else
      value = setting.value;
  }
  const std::string head =
      "# Defaults for the flags of `kml submit` in this folder and below it: see kml-submit(1).\n";
  return head + (keys.empty() ? "# image: registry.example/bert:3\n# gpus: 1\n# mounts: [pvc/data:/data]\n"
                              : yaml::to_yaml(keys));
}

int run_init(Context& context, const std::vector<spec::Setting>& settings) {
  spec::parse_settings(settings, {});  // an invalid value would make each later submit fail
  const std::filesystem::path file = std::filesystem::current_path() / spec::kProjectFile;
  const std::string text = project_text(settings);
  if (std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw usage_error("this folder already has a kml.yaml", "", "edit it, and then run kml trust");
  std::vector<Problem> problems;
  spec::read_settings(yaml::parse_one(text, file.string()), spec::kProjectFile.data(),
                      spec::Source::project_file, problems);
  if (!problems.empty()) {
    Error error = usage_error("cannot write kml.yaml");
    error.problems = std::move(problems);
    throw error;
  }
  write_file_atomically(file, text, 0644);
  spec::trust_records().trust(file, text);
  context.streams().out << file.string() << " written, and trusted until it changes\n";
  return 0;
}

Command init_command() {
  auto settings = std::make_shared<std::vector<spec::Setting>>();
  Command command{"init", "Write a kml.yaml with these `kml submit` flags as defaults, and trust it"};
  command.description =
      R"(kml trusts the new file, and the templates that it names, as they are now. If one of these files changes, kml
asks you to run `kml trust` before it uses settings that need trust. kml does not trust anything else in the folder.)";
  command.examples = R"(kml config init --image registry.example/bert:3 --gpus 1 --env DATA=/data
kml config init)";
  add_spec_flags(command, *settings, {"name", "array", "set"});
  command.has_target = false;
  command.run = [settings](Context& context) { return run_init(context, *settings); };
  return command;
}

Command alias_command() {
  auto options = std::make_shared<AliasOptions>();
  Command command{"alias", "Define an alias for a command line, or show the aliases"};
  command.description =
      R"(kml replaces the alias with the command line, and adds the arguments that you type after the alias. No shell
is involved. Aliases are stored in your configuration folder; a project's kml.yaml cannot define any. A kml command
takes precedence over an alias, and an alias over an extension.

An extension is a program called kml-NAME in a folder in PATH. `kml NAME` runs the extension with the arguments that
follow. kml searches only the absolute paths in PATH.)";
  command.examples = R"(kml config alias mine -- list --mine --sort newest
kml mine --limit 5
kml config alias mine
kml config alias --remove mine)";
  command.takes("NAME", options->names,
                "the alias to define or, without a command, to show; without NAME, kml lists all aliases", 0,
                1);
  command.argv = &options->words;
  command.has_target = false;
  command.option("--remove", "ALIAS", options->remove, "remove this alias").details("Remove this alias.");
  add_output_format(command, {"json", "yaml"}, options->output, "print the aliases as data")
      .details("Print the data in this format.");
  command.run = [options](Context& context) { return run_alias(context, *options); };
  return command;
}

}  // namespace

Command config_command() {
  auto options = std::make_shared<ConfigOptions>();
  Command group{"config", "Show settings and contexts, and manage aliases"};
  group.description =
      R"(A setting can come from a flag, an environment variable (KML_*), kml.yaml (in this folder or above), or your
file ~/.config/kml/config.yaml, in this order of precedence. Until you trust a kml.yaml (see `kml trust`), it can only
change the settings that `kml trust --help` lists. `kml config init` writes a kml.yaml that is trusted. kml rejects a
kml.yaml that belongs to another user.)";
  Command view{"view", "Show the settings from files and the environment"};
  view.examples = R"(# Every setting, and where it comes from
kml config view --origin
kml config view -o json)";
  view.flag("--origin", options->origin, "show where each value comes from")
      .details("Show where each value comes from, such as a variable or a line of a file.");
  add_output_format(view, {"json", "yaml"}, options->output, "print the settings as data")
      .details("Print the data in this format.");
  view.run = [options](Context& context) { return run_view(context, *options); };
  Command contexts{"contexts", "List the contexts of the kubeconfig; a star marks the current one"};
  contexts.examples = R"(kml config contexts
kml config contexts --kubeconfig ./local.kubeconfig)";
  add_output_format(contexts, {"json", "yaml"}, options->output, "print the contexts as data")
      .details("Print the contexts in this format.");
  contexts.run = [options](Context& context) { return run_contexts(context, *options); };
  group.examples =
      "kml config view --origin\nkml config contexts\nkml config init --image registry.example/bert:3\nkml "
      "config alias mine -- list --mine";
  group.subcommands = {view, contexts, init_command(), alias_command()};
  return group;
}

}  // namespace kml::cli
