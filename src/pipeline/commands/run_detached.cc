#include "pipeline/commands/run_detached.h"

#include <chrono>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "engine/commands/background_engine.h"
#include "kml/engine/journal/journal.h"
#include "kml/job/views/interrupt.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_session.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

struct RunBackgroundOptions {
  std::vector<std::string> names;
};

/// In its first round, the engine usually creates the first jobs; if the server rejects a step, the engine
/// ends. So the second round shows that the run has started.
int run_run_background(Context& context, const RunBackgroundOptions& options) {
  const std::string& name = options.names[0];
  return run_background_engine([&](const std::function<void()>& started) {
    context.note(owner());
    const pipeline::RunState run = pipeline::read_run(name);
    require_target(context, run);
    PipelineHere here(context, run.head().file, pipeline::pipeline_of(run), run.head());
    pipeline::Journal journal = pipeline::open_run(name, owner());
    int rounds = 0;
    const int code = go_on_here(context, here, name, journal, [&](const pipeline::Engine&) {
      if (++rounds > 1) started();
    });
    started();
    return code;
  });
}

}  // namespace

std::filesystem::path run_engine_log(const std::string& run) {
  return pipeline::run_folder(run) / "engine.log";
}

void run_in_other_process(Context& context, const std::string& run) {
  start_engine_process(context, {"run", run, run_engine_log(run)});
}

void go_on_in_background(Context& context, const std::string& run) {
  run_in_other_process(context, run);
  context.streams().out << "run " << run << " is running in the background\n" << std::flush;
  context.note("`kml run attach " + run + "` shows it live, `kml run stop " + run + "` stops it");
}

pipeline::RunState wait_for_run(const std::string& run,
                                const std::function<bool(const pipeline::RunState&)>& is_enough) {
  const job::Interrupt interrupt;
  while (true) {
    pipeline::RunState state = pipeline::read_run(run);
    if (is_enough(state)) return state;
    if (!engine::writer_of(pipeline::run_folder(run))) {
      state = pipeline::read_run(run);  // the engine may have ended between the two checks
      if (state.end()) return state;
      throw Error(ErrorCode::failure, "the engine of run " + run + " has stopped", "",
                  "`kml run resume " + run + "` continues the run");
    }
    interrupt.pause(std::chrono::milliseconds(50));
  }
}

Command run_background_command() {
  auto options = std::make_shared<RunBackgroundOptions>();
  Command command{"background",
                  "Run the engine of a pipeline run in the background; used by kml submit "
                  "--output and kml run resume --detach"};
  command.takes("RUN", options->names, "the run's name", 1, 1);
  command.run = [options](Context& context) { return run_run_background(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
