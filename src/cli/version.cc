#include "kml/version.h"

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct VersionOptions {
  std::string output;
};

int run_version(Context& context, const VersionOptions& options) {
  if (options.output == "json")
    ui::print_value(context.streams(), {{"version", kVersion}}, "json");
  else
    context.streams().out << "kml " << kVersion << "\n";
  return 0;
}

}  // namespace

Command version_command() {
  auto options = std::make_shared<VersionOptions>();
  Command command{"version", "Show the version of kml"};
  command.examples = R"(kml version
kml version -o json)";
  command.choice("-o,--output", {"json"}, options->output, "print it as JSON");
  command.has_target = false;
  command.run = [options](Context& context) { return run_version(context, *options); };
  return command;
}

}  // namespace kml::cli
