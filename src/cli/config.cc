#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

struct ConfigOptions {
  bool origin = false;
  std::string output;
};

/// What was set, and where the command would go to.
int run_view(Context& context, const ConfigOptions& options) {
  std::vector<spec::Setting> settings = context.config().settings;
  const bool complete =
      (context.config().find("context") && context.config().find("namespace")) || context.distrust();
  auto add_if_new = [&](const std::string& name, const std::string& value, spec::Source source,
                        std::string origin) {
    if (!context.config().find(name)) settings.push_back({name, value, {source, std::move(origin)}});
  };
  // Asked only where it adds something: a context that is set may not exist (yet) on this machine,
  // or not be trusted.
  if (!complete) {
    const Place& place = context.place();
    spec::Source source = place.is_local ? spec::Source::builtin : spec::Source::environment;
    std::string origin = place.is_local ? "no kubeconfig" : "kubeconfig";
    add_if_new("context", place.context, source, origin);
    add_if_new("namespace", place.namespace_name, source, origin);
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

int run_contexts(Context& context, const ConfigOptions&) {
  const std::string current = context.place().context;
  std::vector<std::string> names = kube::context_names({context.options().kubeconfig, "", ""});
  names.push_back(std::string(kLocal));
  for (const std::string& name : names)
    context.streams().out << (name == current ? "* " : "  ") << name << "\n";
  return 0;
}

}  // namespace

Command config_command() {
  auto options = std::make_shared<ConfigOptions>();
  Command group{"config", "See the settings in force and where they are from"};
  group.description =
      "Flags win over the environment (KML_*), that over kml.yaml (in this folder or above), that over the\n"
      "user's own file. Until you trust a kml.yaml (see `kml trust`), it may not choose secrets, accounts,\n"
      "a context, files from outside its folder, or templates of its own instead of others. A kml.yaml that\n"
      "belongs to another user is refused.";
  Command view{"view", "Print the settings from files and the environment"};
  view.flag("--origin", options->origin, "say where each value comes from");
  add_output_format(view, {"json", "yaml"}, options->output, "print them as data");
  view.run = [options](Context& context) { return run_view(context, *options); };
  Command contexts{"contexts", "List the contexts that --context takes; a star marks the one in force"};
  contexts.run = [options](Context& context) { return run_contexts(context, *options); };
  group.subcommands = {view, contexts};
  return group;
}

}  // namespace kml::cli
