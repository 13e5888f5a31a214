#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "engine/commands/attach.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_selection.h"
#include "pipeline/commands/run_view.h"

namespace kml::cli {

namespace {

struct RunAttachOptions {
  std::vector<std::string> names;
};

/// A run on this machine or in the cluster.
class WatchedRun final : public Attached {
 public:
  WatchedRun(Context& context, const std::string& name) : context_(context), run_(find_run(context, name)) {
    pipeline_ = pipeline::pipeline_of(run_.state);
    view_.emplace(context, pipeline_, run_.state);
  }

  void update() override {
    cli::update(context_, run_);
    if (pipeline_.with_items) pipeline_.steps = pipeline_.with_items(run_.state.items()).steps;
  }
  bool has_engine() override { return cli::has_engine(context_, run_); }
  std::chrono::milliseconds pause() const override { return pause_between_updates(run_); }
  bool has_ended() const override { return run_.state.end().has_value(); }
  Error without_engine() const override { return cli::without_engine(run_); }
  void show() override { view_->show(run_.state); }
  void end_view() override { view_->end(); }
  int report() override { return report_run(context_, pipeline_, run_.state); }

 private:
  Context& context_;
  FoundRun run_;
  pipeline::Pipeline pipeline_;
  std::optional<RunView> view_;
};

int run_run_attach(Context& context, const RunAttachOptions& options) {
  const std::string& name = options.names[0];
  WatchedRun run(context, name);
  return attach(context, "run", name, run);
}

}  // namespace

Command run_attach_command() {
  auto options = std::make_shared<RunAttachOptions>();
  Command command{"attach", "Watch a run that was started in another terminal or in a cluster"};
  command.description =
      R"(Ctrl-C closes the view; the run continues. When the run finishes, this command exits with the exit code of
`kml run`. If the output is not a terminal, the command prints a line for each finished step.)";
  command.takes("RUN", options->names, "the run's name", 1, 1);
  command.examples = "kml run attach iris-1";
  command.run = [options](Context& context) { return run_run_attach(context, *options); };
  return command;
}

}  // namespace kml::cli
