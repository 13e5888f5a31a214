#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/ui/objects.h"
#include "tracking/commands/chosen_runs.h"
#include "tracking/runs/run_facts.h"
#include "tracking/tables/tracked_runs.h"

namespace kml::cli {

namespace {

struct CompareOptions {
  std::vector<std::string> names;
  std::string output;
  bool all = false;
};

int run_compare(Context& context, const CompareOptions& options) {
  std::vector<tracking::TrackedRun> runs = named_runs(context, options.names);
  tracking::add_facts_to_compare(runs);
  if (!options.output.empty()) {
    Json items = Json::array();
    for (const tracking::TrackedRun& run : runs) items.push_back(ui::to_json(run));
    ui::print_value(context.streams(), items, options.output);
  } else {
    if (!ui::print_comparison(context.streams(), runs, options.all)) context.note("the runs do not differ");
  }
  return 0;
}

}  // namespace

Command runs_compare_command() {
  auto options = std::make_shared<CompareOptions>();
  Command command{"compare",
                  "Show how runs differ in metrics, parameters, code, packages, image and outcome"};
  command.description =
      R"(Give each run by its name (the newest run with that name) or by the first digits of its id; @ is the newest run.)";
  command.examples = R"(# How two runs differ
kml runs compare bert bert2
# All details of three runs
kml runs compare bert bert2 bert3 --all)";
  command.takes("RUN", options->names, "names or ids of runs", 2);
  command.flag("--all", options->all, "also show equal properties")
      .details("Also show the properties in which the runs are equal.");
  add_output_format(command, {"json", "yaml"}, options->output, "print all details")
      .details("Print all details of the runs.");
  command.run = [options](Context& context) { return run_compare(context, *options); };
  return command;
}

}  // namespace kml::cli
