#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/error.h"
#include "kml/job/render/render.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

struct TemplateOptions {
  std::vector<std::string> names;
  std::string output;
};

render::Catalog catalog(Context& context) {
  return render::Catalog(context.config().template_folders());
}

int run_template_list(Context& context, const TemplateOptions& options) {
  render::Catalog templates = catalog(context);
  Json items = Json::array();
  ui::Table table({"TEMPLATE", "FROM", "PARAMETERS", "HELP"});
  for (const render::Catalog::Entry& entry : templates.list()) {
    render::Template loaded;
    try {
      loaded = templates.load(entry.name);
    } catch (const Error& error) {  // other templates remain usable
      loaded.help = "invalid: see `kml template check " + entry.name + "`";
    }
    std::string parameters;
    for (const render::Parameter& parameter : loaded.parameters)
      parameters += (parameters.empty() ? "" : ",") + parameter.name;
    items.push_back({{"name", entry.name}, {"from", entry.where}, {"help", loaded.help}});
    table.add({{entry.name}, {entry.where}, {parameters.empty() ? "-" : parameters}, {loaded.help}});
  }
  if (options.output.empty())
    table.print(context.streams());
  else
    ui::print_value(context.streams(), items, options.output);
  return 0;
}

int run_show(Context& context, const TemplateOptions& options) {
  context.streams().out << catalog(context).load(options.names[0]).text;
  return 0;
}

Json to_json(const render::Template& checked) {
  Json parameters = Json::array();
  for (const render::Parameter& parameter : checked.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"type", std::string(name_of(parameter.type))},
                          {"default", parameter.default_value.value_or(Json())},
                          {"required", parameter.required},
                          {"help", parameter.help}});
  return {{"file", checked.file}, {"name", checked.name}, {"parameters", parameters}};
}

void print_checked(const Streams& streams, const render::Template& checked) {
  streams.out << checked.file << ": ok\n";
  ui::Table table({"  PARAMETER", "TYPE", "DEFAULT", "HELP"});
  for (const render::Parameter& parameter : checked.parameters)
    table.add({{"  " + parameter.name},
               {std::string(name_of(parameter.type))},
               {parameter.default_value ? parameter.default_value->dump()
                                        : std::string(parameter.required ? "(required)" : "null")},
               {parameter.help}});
  if (!table.empty()) table.print(streams);
}

/// One Error for all invalid templates.
Error together(const std::vector<Error>& faults) {
  if (faults.size() == 1) return faults[0];
  Error all = usage_error(std::to_string(faults.size()) + " templates are invalid");
  for (const Error& fault : faults) {
    if (fault.problems.empty()) all.problems.push_back({"", 0, 0, "", message_and_why(fault)});
    all.problems.insert(all.problems.end(), fault.problems.begin(), fault.problems.end());
  }
  return all;
}

int run_check(Context& context, const TemplateOptions& options) {
  Json items = Json::array();
  std::vector<Error> faults;
  for (const std::string& name : options.names) try {
      const render::Template loaded = catalog(context).load(name);
      render::check_template(loaded);
      items.push_back(to_json(loaded));
      if (options.output.empty()) print_checked(context.streams(), loaded);
    } catch (const Error& error) {
      faults.push_back(error);
    }
  if (!faults.empty()) throw together(faults);
  if (!options.output.empty()) ui::print_value(context.streams(), items, options.output);
  return 0;
}

}  // namespace

Command template_command() {
  auto options = std::make_shared<TemplateOptions>();
  Command group{"template", "List, show and check templates, both built-in ones and yours"};
  group.description =
      R"(Your templates are YAML files. kml finds them in ~/.config/kml/templates and in the folder given by
`templates` in kml.yaml. To use any other template file, give its path.)";

  group.examples = "kml template list\nkml template show job";

  Command list{"list", "List the templates"};
  list.examples = R"(kml template list
kml template list -o json)";
  add_output_format(list, {"json", "yaml"}, options->output, "print the templates as data")
      .details("Print the data in this format.");
  list.run = [options](Context& context) { return run_template_list(context, *options); };

  Command show{"show", "Print a template's text"};
  show.examples = R"(kml template show job
# Start your own template from it
kml template show job > my.yaml)";
  show.takes("TEMPLATE", options->names, "name or path of a template", 1, 1);
  show.run = [options](Context& context) { return run_show(context, *options); };

  Command check{"check",
                "Check templates up to the first invalid one, and print its problems with line and column"};
  check.examples = R"(kml template check ./my.yaml
kml template check job pytorchjob -o json)";
  check.takes("TEMPLATE", options->names, "names or paths of templates", 1);
  add_output_format(check, {"json", "yaml"}, options->output, "print the templates as data if all are valid")
      .details("Print the templates and their parameters in this format, if all are valid.");
  check.run = [options](Context& context) { return run_check(context, *options); };

  group.subcommands = {list, show, check};
  for (Command& command : group.subcommands) command.has_target = false;
  return group;
}

}  // namespace kml::cli
