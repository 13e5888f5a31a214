#include <memory>
#include <ostream>

#include "cli/context.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_selection.h"
#include "kml/core/files.h"
#include "kml/ui/sweep_report.h"

namespace kml::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> names;
  std::string file;
};

int run_report(Context& context, const ReportOptions& options) {
  sweep::SweepState state;
  read_sweep(context, options.names[0], [&](const sweep::Record& record) { state.apply(record); });
  const Time now = told_until(options.names[0], state);
  const std::string page = ui::report_page(ui::report_data(state, state.timeline(), now));
  if (options.file == "-") {
    context.streams().out << page;
    return 0;
  }
  const std::string file = options.file.empty() ? options.names[0] + ".html" : options.file;
  write_file_atomically(file, page, 0644);
  context.streams().out << file << "\n";
  return 0;
}

}  // namespace

Command sweep_report_command() {
  auto options = std::make_shared<ReportOptions>();
  Command command{"report", "Write a page with plots and all trials, for a browser"};
  command.description =
      "One HTML file that needs no network: the best value over time, the parameters against it, their\n"
      "importance, learning curves, cost, and a table of all trials. It holds the command, no environment.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.option("-o,--output", "FILE", options->file, "where to write it (NAME.html); - is stdout");
  command.run = [options](Context& context) { return run_report(context, *options); };
  return command;
}

}  // namespace kml::cli
