#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_schemas.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

struct SchemaOptions {
  std::vector<std::string> words;
};

std::vector<std::string> commands_with_schema() {
  std::vector<std::string> commands;
  for (const OutputSchema& schema : output_schemas()) {
    std::string command(schema.name);
    std::replace(command.begin(), command.end(), '-', ' ');
    commands.push_back(std::move(command));
  }
  return commands;
}

int run_schema(Context& context, const SchemaOptions& options) {
  std::ostream& out = context.streams().out;
  if (options.words.empty()) {
    out << join(commands_with_schema(), "\n") << "\n";
    return 0;
  }
  const std::string name = join(options.words, "-");
  for (const OutputSchema& schema : output_schemas())
    if (schema.name == name) {
      out << schema.text;
      return 0;
    }
  const std::string command = join(options.words, " ");
  throw usage_error("kml has no schema for `kml " + command + "`", "",
                    suggestion(command, commands_with_schema(), "`kml schema` lists all"));
}

}  // namespace

Command schema_command() {
  auto options = std::make_shared<SchemaOptions>();
  Command command{"schema", "Print the JSON Schema of what a command prints with -o json"};
  command.description =
      R"(The schemas are for scripts, agents and other programs that read kml's output. Later versions of kml may add fields,
but remove none. Each line of `kml logs -o json` is a separate object. "error" is what a command with -o json prints on
standard error when it fails, and "plan" is the file that `kml submit --plan` writes.)";
  command.examples = R"(# The commands that have a schema
kml schema
# What `kml top nodes -o json` prints
kml schema top nodes)";
  command.takes("COMMAND", options->words,
                "the words of a command, such as \"top nodes\"; by default, list all", 0, 2);
  command.has_target = false;
  command.run = [options](Context& context) { return run_schema(context, *options); };
  return command;
}

}  // namespace kml::cli
